/** A fault of the driver that nobody could catch, kept from ending the process. */

/**
 * postgres.js 3.4.9 may write to a connection that is gone by then, from a timer: the error belongs to no promise, and
 * would end the service each time the database is restarted (porsager/postgres, issues 1066 and 1208). The statement it
 * was about has been refused already. Any other error that nobody caught is printed and still ends the process.
 */
export const bearDriverFault = (print: (error: unknown) => void = console.error): void => {
  process.on("uncaughtException", (error: unknown) => {
    if (isDriverFault(error)) return
    print(error)
    process.exit(1)
  })
}

const isDriverFault = (error: unknown): boolean =>
  error instanceof TypeError && /\bnextWrite\b/.test(error.stack ?? "") && /\bwrite\b/.test(error.message)

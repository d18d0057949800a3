/** Faults of the driver that nobody could catch, kept from ending the process. */
import { isLost } from "./pool.ts"

/**
 * postgres.js 3.4.9 may write to a connection that is gone by then, from a timer: the error belongs to no promise, and
 * would end the service each time the database is restarted (porsager/postgres, issues 1066 and 1208). And a promise
 * of its own may be nobody's: it fails where the connection goes meanwhile. What waited for the connection has been told
 * already, or is told by `openHeld`.
 * Any other error that nobody caught is printed and still ends the process; a promise that nobody waited for is printed.
 */
export const bearDriverFault = (print: (error: unknown) => void = console.error): void => {
  process.on("uncaughtException", (error: unknown) => {
    if (isLateWrite(error)) return
    print(error)
    process.exit(1)
  })
  process.on("unhandledRejection", (cause: unknown) => {
    if (!isLost(cause)) print(cause)
  })
}

const isLateWrite = (error: unknown): boolean =>
  error instanceof TypeError && /\bnextWrite\b/.test(error.stack ?? "") && /\bwrite\b/.test(error.message)

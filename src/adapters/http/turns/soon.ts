/** What is there already, or comes: most requests wait once, and each wait more costs a promise with its turn of the queue. */

export type Soon<A> = A | Promise<A>

/** `next` of the value: at once where it is there. */
export const after = <A, B>(value: Soon<A>, next: (value: A) => Soon<B>): Soon<B> =>
  value instanceof Promise ? value.then(next) : next(value)

/** The same; what throws, or is rejected, is told to `failed`, whether it comes at once or later. */
export const settled = <A, B>(
  make: () => Soon<A>,
  next: (value: A) => Soon<B>,
  failed: (cause: unknown) => Soon<B>,
): Soon<B> => {
  let value: Soon<A>
  try {
    value = make()
  } catch (cause) {
    return failed(cause)
  }
  return value instanceof Promise ? value.then(next, failed) : next(value)
}

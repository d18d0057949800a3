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

/** `next` of what is made, then `end`: also where it throws, or is rejected. */
export const ending = <A, B>(make: () => Soon<A>, end: () => void, next: (value: A) => B): Soon<B> => {
  const give = (value: A): B => {
    try {
      return next(value)
    } finally {
      end()
    }
  }
  return settled(make, give, (cause) => {
    end()
    throw cause
  })
}

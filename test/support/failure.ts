/** What a promise fails with. */

/**
 * The error of `asked`; a failure of the test where there is none.
 * For `expect(asked).rejects`: Bun's stands still inside that call, and may sleep there until something else of the process stirs.
 */
export const failureOf = async (asked: PromiseLike<unknown>): Promise<Error> => {
  const [outcome] = await Promise.allSettled([asked])
  if (outcome.status === "rejected") return outcome.reason as Error
  throw new Error(`expected a failure, got ${Bun.inspect(outcome.value)}`)
}

/** Its text. */
export const problemOf = async (asked: PromiseLike<unknown>): Promise<string> => (await failureOf(asked)).message

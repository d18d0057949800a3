/** What a promise fails with; and when all that goes on by itself has gone on. */

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

/** Many turns of the loop, however long each of them takes: who was held up for a moment is not given up. */
export const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
}

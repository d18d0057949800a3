/** Waiting for what runs by itself, without a clock. */

/** Many turns of the loop, however long each of them takes: who was held up for a moment is not given up. */
export const settled = async () => {
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setTimeout(resolve, 1))
}

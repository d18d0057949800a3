/** So many in a second, and no more: of whom there are more in it, the rest may not. */

export const makePerSecond = (most: number): (() => boolean) => {
  let [second, taken] = [0, 0]
  return () => {
    const now = Math.floor(performance.now() / 1000)
    if (now !== second) [second, taken] = [now, 0]
    return taken++ < most
  }
}

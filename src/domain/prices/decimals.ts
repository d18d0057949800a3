/** The decimals of a token, of what it and its pools say. */

/** Undefined = nobody says, or they contradict. Pools say 0 where the token did not say when they were made, which contradicts nothing. */
export const knownDecimals = (byToken: number | undefined, byPools: number | undefined): number | undefined => {
  if (byPools === undefined || byPools === 0) return byToken
  return byToken === undefined || byToken === byPools ? byPools : undefined
}

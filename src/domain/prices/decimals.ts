/** The decimals of a token, of what it and its pools say. */

/** Pools say 0 where the token does not say. Undefined = nobody says, or they contradict. */
export const knownDecimals = (byToken: number | undefined, byPools: number | undefined): number | undefined => {
  if (byPools === undefined) return byToken
  if (byToken === undefined) return byPools === 0 ? undefined : byPools
  return byToken === byPools ? byToken : undefined
}

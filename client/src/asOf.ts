/** The block that an answer speaks of, from its headers. */

export interface AsOf {
  readonly chainId: string
  readonly block: number
  readonly hash: string
  readonly time: Date
  /** How many blocks the node is ahead. */
  readonly lagBlocks: number
  readonly finality: "latest" | "finalized"
  /** The block that `timestamp`, `blockHash` or `finality: "finalized"` came to mean on this chain; absent = none of them was asked, or it has none. */
  readonly atBlock?: number
}

/** `1:20,10:30` → by chain; what it says has no comma, but may hold colons. */
const byChain = (text: string | null): ReadonlyMap<string, string> =>
  new Map(
    (text ?? "")
      .split(",")
      .filter((part) => part.includes(":"))
      .map((part) => {
        const colon = part.indexOf(":")
        return [part.slice(0, colon).trim(), part.slice(colon + 1).trim()] as const
      }),
  )

/** One a chain, in the service's order; none where the answer speaks of no chain. */
export const asOfOf = (headers: Headers): ReadonlyArray<AsOf> => {
  const [hashes, times, lags, finalities] = ["hash", "time"]
    .map((name) => `x-as-of-${name}`)
    .concat("x-lag-blocks", "x-finality")
    .map((name) => byChain(headers.get(name))) as [Texts, Texts, Texts, Texts]
  const meant = byChain(headers.get("x-at-block"))
  return [...byChain(headers.get("x-as-of-block"))].map(([chainId, block]) => ({
    chainId,
    block: Number(block),
    hash: hashes.get(chainId) ?? "",
    time: new Date(times.get(chainId) ?? Number.NaN),
    lagBlocks: Number(lags.get(chainId) ?? 0),
    finality: finalities.get(chainId) === "finalized" ? "finalized" : "latest",
    ...(meant.has(chainId) ? { atBlock: Number(meant.get(chainId)) } : {}),
  }))
}

type Texts = ReadonlyMap<string, string>

/** What is learned of tokens and ids beside the ledger, in memory. */
import { Effect } from "effect"
import { descriptionOf, type TokenDescription, type TokenOrigin } from "../../model/token.ts"
import type { BornToken, LedgerLearning, MintedNft } from "../../ports/Ledger.ts"
import { type MemoryChain, type MemoryToken, moveLearned, type OwnerVersion, tokenOf } from "./state.ts"

export const enrichment = (chain: MemoryChain): LedgerLearning => ({
  listUndescribedTokens: (limit) =>
    Effect.sync(() => tokensWhere(chain, limit, (token) => token.description === undefined)),
  describeTokens: (described) =>
    Effect.sync(() => {
      let isNews = false
      for (const { token, description } of described) {
        const found = findBorn(chain, token)
        if (found === undefined) continue
        const { description: before } = found
        found.description = { ...before, ...descriptionOf(token.standard, description) }
        isNews ||= before === undefined || !sameDescription(before, found.description)
      }
      if (isNews) moveLearned(chain)
    }),
  listTokensWithoutOrigin: (limit) =>
    Effect.sync(() => tokensWhere(chain, limit, (token) => token.origin === undefined)),
  listExhaustedTokens: (limit, last) =>
    Effect.sync(() =>
      tokensWhere(chain, Number.POSITIVE_INFINITY, ({ origin }) => origin !== undefined && isNothing(origin))
        .filter((token) => last === undefined || byBirth(token, last) < 0)
        .reverse()
        .slice(0, limit),
    ),
  recordOrigins: (origins) =>
    Effect.sync(() => {
      for (const { token, origin } of origins) {
        const found = findBorn(chain, token)
        if (found === undefined || !isOfOwnBlock(chain, token)) continue
        found.origin = origin.txHash === found.firstTxHash ? { ...origin, time: found.firstTime } : origin
      }
      // Of a ledger that begins later it tells whether that has all of a token's figures.
      if (chain.settings.firstBlock > 0) chain.revision++
      else moveLearned(chain)
    }),
  listNftsWithoutUri: (limit) =>
    Effect.sync(() =>
      [...chain.tokens.values()]
        .flatMap((token) => mintsOf(token).filter((nft) => !token.uris.has(mintKey(nft))))
        .sort((a, b) => b.mintBlock - a.mintBlock || b.mintLogIndex - a.mintLogIndex)
        .slice(0, limit),
    ),
  recordTokenUris: (found) =>
    Effect.sync(() => {
      for (const { nft, uri } of found) {
        const token = tokenOf(chain, "erc721", nft.token)
        if (token !== undefined && mintsOf(token).some((mint) => mintKey(mint) === mintKey(nft))) {
          token.uris.set(mintKey(nft), uri === undefined ? {} : { uri })
        }
      }
      moveLearned(chain)
    }),
})

const sameDescription = (a: TokenDescription, b: TokenDescription): boolean =>
  a.name === b.name && a.symbol === b.symbol && a.decimals === b.decimals

/** The `tokenURI` recorded for an id since its latest mint. */
export const uriOf = (token: MemoryToken, tokenId: bigint): string | undefined => {
  const mint = token.owners.get(tokenId)?.at(-1)?.mint
  return mint && token.uris.get(`${tokenId}:${mint.blockNumber}:${mint.logIndex}`)?.uri
}

const isNothing = ({ time, txHash }: TokenOrigin): boolean => time === undefined && txHash === undefined

type Birth = Pick<BornToken, "firstBlock" | "firstLogIndex">
const byBirth = (a: Birth, b: Birth): number => a.firstBlock - b.firstBlock || a.firstLogIndex - b.firstLogIndex

const tokensWhere = (
  chain: MemoryChain,
  limit: number,
  condition: (token: MemoryToken) => boolean,
): ReadonlyArray<BornToken> =>
  [...chain.tokens.values()]
    .filter(condition)
    .sort(byBirth)
    .slice(0, limit)
    .map(({ standard, address, firstBlock, firstLogIndex, firstTxHash }) => {
      const firstBlockHash = keptHash(chain, firstBlock)
      const born = { standard, address, firstBlock, firstLogIndex, firstTxHash }
      return firstBlockHash === undefined ? born : { ...born, firstBlockHash }
    })

const keptHash = ({ headers }: MemoryChain, block: number) => headers.find(({ number }) => number === block)?.hash

const isOfOwnBlock = (chain: MemoryChain, { firstBlock, firstBlockHash }: BornToken): boolean =>
  firstBlockHash === undefined || keptHash(chain, firstBlock) === firstBlockHash

export const findBorn = (chain: MemoryChain, { standard, address, firstBlock, firstLogIndex }: BornToken) => {
  const found = tokenOf(chain, standard, address)
  return found?.firstBlock === firstBlock && found.firstLogIndex === firstLogIndex ? found : undefined
}

/** The latest mints of the live ids. */
const mintsOf = (token: MemoryToken): ReadonlyArray<MintedNft> =>
  [...token.owners].flatMap(([tokenId, versions]: [bigint, ReadonlyArray<OwnerVersion>]) => {
    const { owner, mint } = versions.at(-1) ?? {}
    return owner === undefined || mint === undefined
      ? []
      : [{ token: token.address, tokenId: String(tokenId), mintBlock: mint.blockNumber, mintLogIndex: mint.logIndex }]
  })

const mintKey = ({ tokenId, mintBlock, mintLogIndex }: MintedNft): string => `${tokenId}:${mintBlock}:${mintLogIndex}`

/** The jobs beside a ledger: descriptions and creations of its tokens, token URIs of its ids. */
import { Effect } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { descriptionOf, type TokenDescription, type TokenOrigin } from "../../model/token.ts"
import type { ContractOrigins } from "../../ports/ContractOrigins.ts"
import type { BornToken, MintedNft } from "../../ports/Ledger.ts"
import type { TokenMetadata } from "../../ports/TokenMetadata.ts"
import type { FollowedLedger } from "../ingest/status/FollowedLedger.ts"
import type { Job } from "./job.ts"

interface ChainLedger {
  readonly chainId: ChainId
  readonly ledger: FollowedLedger
}

interface WithMetadata extends ChainLedger {
  readonly metadata: TokenMetadata["Service"]
}

export interface WithOrigins extends ChainLedger {
  readonly origins: ContractOrigins["Service"]
}

export const descriptions = ({ chainId, ledger, metadata }: WithMetadata): Job<BornToken, TokenDescription> => ({
  batchSize: 50,
  recordSize: 200,
  restMs: 0,
  list: (limit) => ledger.writer.listUndescribedTokens(limit),
  keyOf: keyOfToken,
  groupOf: ({ address }) => address,
  ask: (tokens) =>
    Effect.map(
      metadata.describe(
        chainId,
        tokens.map(({ address }) => address),
      ),
      (answers) => answers.map((answer, place) => descriptionOf(tokens[place]!.standard, answer)),
    ),
  record: (learned) =>
    ledger.writer.describeTokens(learned.map(({ item, answer }) => ({ token: item, description: answer }))),
  isFinal: ({ firstBlock }) => isFinal(ledger, firstBlock),
  saysNothing: (answer) => Object.keys(answer).length === 0,
})

/** A token costs two to five calls where it is as young as its first transfer, and a few dozen where it is much older. */
export const creations = ({ chainId, ledger, origins }: WithOrigins): Job<BornToken, TokenOrigin> => ({
  batchSize: 20,
  recordSize: 200,
  restMs: 500,
  list: (limit) => ledger.writer.listTokensWithoutOrigin(limit),
  keyOf: keyOfToken,
  groupOf: ({ address }) => address,
  ask: (tokens) => origins.find(chainId, tokens),
  record: (learned) =>
    ledger.writer.recordOrigins(learned.map(({ item, answer }) => ({ token: item, origin: answer }))),
  isFinal: ({ firstBlock }) => isFinal(ledger, firstBlock),
  saysNothing: () => false,
  giveUp: { tries: 4, answer: {} },
})

/** There may be millions of ids: they are asked for at leisure, the newest first. */
export const uris = ({ chainId, ledger, metadata }: WithMetadata): Job<MintedNft, { readonly uri?: string }> => ({
  batchSize: 30,
  recordSize: 600,
  restMs: 500,
  list: (limit) => ledger.writer.listNftsWithoutUri(limit),
  keyOf: ({ token, tokenId, mintBlock, mintLogIndex }) => `${token}:${tokenId}:${mintBlock}:${mintLogIndex}`,
  groupOf: ({ token }) => token,
  ask: (nfts) =>
    Effect.map(metadata.tokenUris(chainId, nfts), (answers) =>
      answers.map((uri) => (uri === undefined ? {} : { uri })),
    ),
  record: (learned) => ledger.writer.recordTokenUris(learned.map(({ item, answer }) => ({ nft: item, ...answer }))),
  isFinal: ({ mintBlock }) => isFinal(ledger, mintBlock),
  saysNothing: ({ uri }) => uri === undefined,
  giveUp: { tries: 5, answer: {} },
})

const isFinal = ({ checkpoint }: FollowedLedger, block: number): boolean => block <= checkpoint().finalizedBlock

const keyOfToken = ({ standard, address, firstBlock, firstLogIndex }: BornToken): string =>
  `${standard}:${address}:${firstBlock}:${firstLogIndex}`

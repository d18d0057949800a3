/** What is found in the background of a chain: what tokens say of themselves, who made them, where ids point, whether their figures are true. */
import { Effect } from "effect"
import type { TokenDescription, TokenOrigin } from "../../model/token.ts"
import { ContractOrigins } from "../../ports/ContractOrigins.ts"
import type { BornToken, MintedNft } from "../../ports/Ledger.ts"
import { TokenMetadata } from "../../ports/TokenMetadata.ts"
import { auditInBackground } from "../audit/background.ts"
import type { Following } from "../ingest/state.ts"
import { askAgain } from "./exhausted.ts"
import { type Errand, runErrand } from "./runJob.ts"

/** Never ends. They go side by side, each with one small batch at a time. */
export const runErrands = Effect.fn("runErrands")(function* (following: Following) {
  const metadata = yield* TokenMetadata
  const origins = yield* ContractOrigins
  const { tokenUris = true } = following.settings
  const all: ReadonlyArray<Effect.Effect<unknown>> = [
    runErrand(following, descriptions(following, metadata)),
    runErrand(following, creations(following, origins)),
    askAgain(following, origins),
    ...(tokenUris ? [runErrand(following, uris(following, metadata))] : []),
    auditInBackground(following),
  ]
  return yield* Effect.all(all, { concurrency: "unbounded", discard: true })
})

const descriptions = (
  following: Following,
  metadata: TokenMetadata["Service"],
): Errand<BornToken, TokenDescription> => ({
  batchSize: 50,
  restMs: 0,
  list: (limit) => following.writer.listUndescribedTokens(limit),
  keyOf: keyOfToken,
  groupOf: ({ address }) => address,
  ask: (tokens) =>
    Effect.map(
      metadata.describe(
        following.settings.chainId,
        tokens.map(({ address }) => address),
      ),
      (answers) => answers.map((answer, place) => ofStandard(tokens[place]!, answer)),
    ),
  record: (learned) =>
    following.writer.describeTokens(learned.map(({ item, answer }) => ({ token: item, description: answer }))),
  isFinal: ({ firstBlock }) => isFinal(following, firstBlock),
  saysNothing: (answer) => Object.keys(answer).length === 0,
})

/** Only amounts of ERC-20 have decimals. */
const ofStandard = ({ standard }: BornToken, { decimals, ...texts }: TokenDescription): TokenDescription =>
  standard === "erc20" && decimals !== undefined ? { ...texts, decimals } : texts

/** A token costs two to five calls where it is as young as its first transfer, and a few dozen where it is much older. */
const creations = (following: Following, origins: ContractOrigins["Service"]): Errand<BornToken, TokenOrigin> => ({
  batchSize: 20,
  restMs: 500,
  list: (limit) => following.writer.listTokensWithoutOrigin(limit),
  keyOf: keyOfToken,
  groupOf: ({ address }) => address,
  ask: (tokens) => origins.find(following.settings.chainId, tokens),
  record: (learned) =>
    following.writer.recordOrigins(learned.map(({ item, answer }) => ({ token: item, origin: answer }))),
  isFinal: ({ firstBlock }) => isFinal(following, firstBlock),
  saysNothing: () => false,
  surrender: { tries: 4, answer: {} },
})

/** There may be millions of ids: they are asked for at leisure, the newest first. */
const uris = (
  following: Following,
  metadata: TokenMetadata["Service"],
): Errand<MintedNft, { readonly uri?: string }> => ({
  batchSize: 30,
  restMs: 500,
  list: (limit) => following.writer.listNftsWithoutUri(limit),
  keyOf: ({ token, tokenId, mintBlock, mintLogIndex }) => `${token}:${tokenId}:${mintBlock}:${mintLogIndex}`,
  groupOf: ({ token }) => token,
  ask: (nfts) =>
    Effect.map(metadata.tokenUris(following.settings.chainId, nfts), (answers) =>
      answers.map((uri) => (uri === undefined ? {} : { uri })),
    ),
  record: (learned) => following.writer.recordTokenUris(learned.map(({ item, answer }) => ({ nft: item, ...answer }))),
  isFinal: ({ mintBlock }) => isFinal(following, mintBlock),
  saysNothing: ({ uri }) => uri === undefined,
  surrender: { tries: 5, answer: {} },
})

const isFinal = ({ checkpoint }: Following, block: number): boolean => block <= checkpoint.finalizedBlock

const keyOfToken = ({ standard, address, firstBlock, firstLogIndex }: BornToken): string =>
  `${standard}:${address}:${firstBlock}:${firstLogIndex}`

/** A chain's node of which only what is believed is taken: it knows the chain's blooms, the logs of the newest blocks by hash, and which chain it is of. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Address, Hash } from "../../../model/primitives.ts"
import type { ChainSourceClient, RangeRefused, SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import { findHeaders } from "./headers.ts"
import { checkGenesis, checkIdentity } from "./identity.ts"
import { makeNewestLogs, type NewestLogs } from "./newestLogs.ts"
import { learnPace } from "./possiblyEmpty.ts"
import { answerOfBlock, answerOfRange, type BlockRange, type RangeAnswer } from "./rangeAnswers.ts"
import { type Answered, type BelievedRange, believeRange } from "./rangeLogs.ts"
import type { Verifier } from "./verifier.ts"

export interface VerifiedSource {
  /** By which it believes: for those who hold more against what it gives. */
  readonly verifier: Verifier
  readonly head: ChainSourceClient["head"]
  readonly failover: ChainSourceClient["failover"]
  /** As a node gives them, held against nothing: to be compared with blocks that are stored. */
  readonly headers: ChainSourceClient["headers"]
  /** By number. Those that are missing are asked for again for as long as that brings more. */
  readonly findHeaders: (
    numbers: ReadonlyArray<number>,
  ) => Effect.Effect<ReadonlyMap<number, SourceHeader>, SourceUnavailable>
  /** Blocks near the head. */
  readonly newest: NewestLogs
  /** How many blocks below this one, the newest that is there, are near the head: to be called ahead of a catch-up. */
  readonly learnPace: (head: number) => Effect.Effect<void, SourceUnavailable>
  /** What the node answers for final blocks, to be believed below. `nodeHead`: the newest block that it announced. */
  readonly answerOfRange: (
    range: BlockRange,
    nodeHead: number,
  ) => Effect.Effect<RangeAnswer, RangeRefused | SourceUnavailable>
  readonly answerOfBlock: (number: number) => Effect.Effect<RangeAnswer, SourceUnavailable>
  /** Held against the headers of the range's ends, of every block with logs and of possibly-empty ones (with VERIFY=full of every block), and their blooms. */
  readonly believeRange: (answered: Answered) => Effect.Effect<BelievedRange, SourceUnavailable>
  /** Fails where the node's chain began otherwise than the ledger's. */
  readonly checkGenesis: Effect.Effect<void, SourceUnavailable>
  /** Fails where that is so, or the node says that it is of another chain. */
  readonly checkIdentity: Effect.Effect<void, SourceUnavailable>
}

export interface VerifiedSettings extends Omit<Verifier, "isFollowed"> {
  /** Of the ledger's chain. */
  readonly genesisHash: Hash
  /** TOKENS; absent = every token. */
  readonly tokens?: ReadonlyArray<Address>
  /** VERIFY=full. */
  readonly everyHeader: boolean
}

/** For one opened ledger: what is kept of blocks goes with it, `traits` stay. */
export const makeVerifiedSource = ({ genesisHash, tokens, everyHeader, ...rest }: VerifiedSettings): VerifiedSource => {
  const { node, chainId } = rest
  const followed = tokens && new Set(tokens)
  const verifier: Verifier = {
    ...rest,
    isFollowed: followed === undefined ? () => true : ({ address }: Log) => followed.has(address),
  }
  return {
    verifier,
    head: Effect.tap(node.head, ({ bloom }) =>
      Effect.sync(() => {
        rest.traits.hasBlooms = bloom !== undefined
      }),
    ),
    failover: node.failover,
    headers: (numbers) => node.headers(numbers),
    findHeaders: (numbers) => findHeaders(verifier, numbers),
    newest: makeNewestLogs(verifier),
    learnPace: (head) => learnPace(verifier, head),
    answerOfRange: (range, nodeHead) => answerOfRange(verifier, range, nodeHead),
    answerOfBlock: (number) => answerOfBlock(verifier, number),
    believeRange: (answered) => believeRange(verifier, answered, everyHeader),
    checkGenesis: checkGenesis({ node, chainId, genesisHash }),
    checkIdentity: checkIdentity({ node, chainId, genesisHash }),
  }
}

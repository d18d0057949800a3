/** Whether logs that the ledger lacks are in the chain's blocks: a node's word alone is not enough. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import type { StoredRow } from "../../../ports/AuditStore.ts"
import { type ChainSourceClient, type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Contracts } from "../../ingest/decode/sorting.ts"
import { eventText, notInReceipts, type Weighed, weighCountedAnew } from "./countedAnew.ts"

/** Blocks that are looked at in one go. */
const blocksTogether = 16

export interface Confirmed {
  readonly logs: ReadonlyArray<Log>
  /** Of their blocks. */
  readonly headers: ReadonlyArray<SourceHeader>
  /** The ledger has these, each at another place of its block. */
  readonly known: ReadonlyArray<Log>
  /** Those that are shown not to be in the chain: of another fork, or not in receipts that are proven. */
  readonly disproved: ReadonlyArray<Log>
  /** Why others are not believed; absent = all are. */
  readonly doubt?: string
}

/** What the ledger has of the contract. */
export interface OwnRows<E, R> {
  readonly contracts: Contracts
  readonly storedIn: (blockNumber: number) => Effect.Effect<ReadonlyArray<StoredRow>, E, R>
}

/**
 * `logs` are of one contract. Of each block one of these shows that the logs are in it:
 * - its receipts, which give the root or the bloom in its header; where they count its logs anew, with the node's or the
 *   nodes' word for the place (`weighCountedAnew`)
 * - two of these: nodes, asked for the block by its hash, and its receipts, unproven
 * - one node, asked likewise, and the bloom in the header, unless unproven receipts lack them
 *
 * A node's silence denies nothing: nodes leave out. Another log in the same place does.
 */
export const confirmLogs = Effect.fnUntraced(function* <E, R>(
  node: ChainSourceClient,
  logs: ReadonlyArray<Log>,
  { contracts, storedIn }: OwnRows<E, R>,
) {
  const byBlock = [...Map.groupBy(logs, ({ blockNumber }) => blockNumber)]
  const confirmed: Array<Log> = []
  const headers: Array<SourceHeader> = []
  const known: Array<Log> = []
  const disproved: Array<Log> = []
  let doubt: string | undefined
  for (let begin = 0; begin < byBlock.length; begin += blocksTogether) {
    const part = byBlock.slice(begin, begin + blocksTogether)
    const found = yield* node.headers(part.map(([number]) => number))
    const absent = part.find((_, place) => found[place] === undefined)
    if (absent !== undefined) return yield* new SourceUnavailable({ message: `the node has no block ${absent[0]}` })
    const headersOf = found as ReadonlyArray<SourceHeader>
    const proofs = node.prove === undefined ? [] : yield* node.prove(headersOf)
    for (const [place, [number, ofBlock]] of part.entries()) {
      const header = headersOf[place]!
      const own = ofBlock.filter(({ blockHash }) => blockHash === header.hash)
      if (own.length < ofBlock.length) doubt ??= `block ${number}: they are of another fork`
      disproved.push(...ofBlock.filter(({ blockHash }) => blockHash !== header.hash))
      if (own.length === 0) continue
      const proof = proofs[place]
      const isAnew = proof !== undefined && "logs" in proof && !proof.indexed
      const found = isAnew
        ? weighCountedAnew({
            ...{ logs: own, receipts: proof.logs, contracts, stored: yield* storedIn(number) },
            words: (yield* wordsOf(node, header.hash)).words,
          })
        : yield* believe(node, header, own, proof)
      confirmed.push(...found.believed)
      known.push(...found.known)
      // Weak ones may lack some themselves.
      const isWeak = proof !== undefined && "logs" in proof && proof.isWeak === true
      if (!isWeak) disproved.push(...found.disproved)
      if (found.believed.length > 0) headers.push(header)
      if (found.denial !== undefined) doubt ??= `block ${number}: ${found.denial}`
    }
  }
  const all: Confirmed = { logs: confirmed, headers, known, disproved, ...(doubt === undefined ? {} : { doubt }) }
  return all
})

type Proof = Effect.Success<ReturnType<NonNullable<ChainSourceClient["prove"]>>>[number]

const believe = Effect.fnUntraced(function* (
  node: ChainSourceClient,
  header: SourceHeader,
  logs: ReadonlyArray<Log>,
  proof: Proof,
) {
  if (proof !== undefined && "logs" in proof) {
    const isIn = heldBy(proof.logs)
    const disproved = logs.filter((log) => !isIn(log))
    const denial = disproved.length > 0 ? notInReceipts : undefined
    return { believed: logs.filter(isIn), known: [], disproved, denial } satisfies Weighed as Weighed
  }
  const denial = yield* denialOf(node, header, logs, proof)
  const believed = denial === undefined ? logs : []
  return { believed, known: [], disproved: [], denial } satisfies Weighed as Weighed
})

const denialOf = Effect.fnUntraced(function* (
  node: ChainSourceClient,
  { hash, bloom }: SourceHeader,
  logs: ReadonlyArray<Log>,
  proof: Proof,
) {
  if (proof !== undefined && "complaint" in proof) return `its receipts do not fit its header: ${proof.complaint}`
  const { words, receipts } = yield* wordsOf(node, hash)
  const holding = words.filter((word) => holdAll(word, logs)).length
  if (holding === 0) return "no node gives them by its hash"
  if (words.some((word) => isOther(word, logs))) return "another node has other logs in their places"
  const isInReceipts = receipts !== undefined && holdAll(receipts, logs)
  if (holding + (isInReceipts ? 1 : 0) > 1) return undefined
  if (receipts !== undefined) return "its receipts do not hold them"
  const isShown = bloom !== undefined && !bloom.empty && logs.every((log) => bloom.mayHold(log))
  if (isShown) return undefined
  return words.length > 1
    ? "another node does not give them"
    : "neither receipts nor another node nor its logsBloom show that they are in it"
})

/** The block's logs by its hash, by each node that answers; and by its receipts, which nothing proves. */
const wordsOf = Effect.fnUntraced(function* (node: ChainSourceClient, hash: Hash) {
  const { nodes } = node
  const [{ second, receipts } = {}] = yield* node.crossCheck([hash])
  const told =
    nodes !== undefined && nodes.labels.length > 1
      ? yield* Effect.forEach(nodes.labels.keys(), (place) => nodes.logsOfBlock(place, hash), {
          concurrency: "unbounded",
        })
      : [...(yield* node.logsOfBlocks([hash])), second]
  return { words: told.filter((word) => word !== undefined), receipts }
})

const isOther = (word: ReadonlyArray<Log>, logs: ReadonlyArray<Log>): boolean => {
  const wanted = new Map(logs.map((log) => [log.logIndex, log]))
  return word.some((log) => {
    const own = wanted.get(log.logIndex)
    return own !== undefined && !holdAll([log], [own])
  })
}

const holdAll = (all: ReadonlyArray<Log>, logs: ReadonlyArray<Log>): boolean => logs.every(heldBy(all))

const heldBy = (all: ReadonlyArray<Log>) => {
  const known = new Set(all.map(placedText))
  return (log: Log): boolean => known.has(placedText(log))
}

const placedText = (log: Log): string => `${log.logIndex} ${eventText(log)}`

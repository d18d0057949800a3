/** Whether logs that the ledger lacks are in the chain's blocks: a node's word alone is not enough. */
import { Effect } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Hash } from "../../../model/primitives.ts"
import type { StoredRow } from "../../../ports/AuditStore.ts"
import { type ChainSourceClient, type SourceHeader, SourceUnavailable } from "../../../ports/ChainSource.ts"
import type { Contracts } from "../../ingest/decode/sorting.ts"
import { rowsOfLogs } from "./compareRows.ts"
import { weighCountedAnew } from "./countedAnew.ts"
import { weighCountedThrough } from "./countedThrough.ts"
import { weighUnproven } from "./unproven.ts"
import type { Lacked, Weighed } from "./weighed.ts"

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
 * Of what a chain adds beside its transactions proven receipts and bloom say nothing: the second alone can show it.
 *
 * Each shows so much as it has beside what is stored, whatever the places: nodes may count differently. A node's silence
 * denies nothing: nodes leave out. Another log in the same place does.
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
      const found = yield* weigh(node, header, { logs: own, contracts, stored: yield* storedIn(number) }, proof)
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

const weigh = Effect.fnUntraced(function* (
  node: ChainSourceClient,
  { hash, bloom }: SourceHeader,
  lacked: Lacked,
  proof: Proof,
) {
  if (proof !== undefined && "complaint" in proof) {
    const denial = `its receipts do not fit its header: ${proof.complaint}`
    return { believed: [], known: [], disproved: [], denial } satisfies Weighed as Weighed
  }
  if (proof === undefined || "unread" in proof) {
    return weighUnproven({ ...lacked, ...(yield* wordsOf(node, hash)), bloom })
  }
  const isWithin = ({ txHash }: Log) => proof.transactions.has(txHash)
  const within = { ...lacked, logs: lacked.logs.filter(isWithin), receipts: proof.logs }
  const beside = lacked.logs.filter((log) => !isWithin(log))
  if (proof.indexed && beside.length === 0) return weighCountedThrough(within)
  const { words, receipts } = yield* wordsOf(node, hash)
  const proven = proof.indexed ? weighCountedThrough(within) : weighCountedAnew({ ...within, words })
  if (beside.length === 0) return proven
  // The bloom is of the proven ones. What those fill of a node's word shows nothing of others.
  const stored = [...lacked.stored, ...rowsOfLogs(proven.believed, lacked.contracts)]
  const told = weighUnproven({ ...lacked, logs: beside, stored, words, receipts, bloom: undefined })
  return {
    believed: [...proven.believed, ...told.believed],
    known: [...proven.known, ...told.known],
    disproved: proven.disproved,
    denial: proven.denial ?? told.denial,
  } satisfies Weighed as Weighed
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

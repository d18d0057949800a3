/** What asking twice has taught about a chain's nodes: which of them left logs out, what each told, and what is to be looked at next. */
import { Latch } from "effect"
import type { BlockRange } from "../verify/rangeAnswers.ts"
import { keepTold, spanOf, type Told } from "./told.ts"

/** So many ranges of a node are compared with another's at first; then one of so many, at a place that nobody can foresee. */
const firstRanges = 8
const everyRanges = 32
/** The same of a node that has left logs out before. */
const everyRangesOfForgetful = 8
/** Of a range without any log, in which blooms may have nothing to say either. */
const everyEmptyRange = 4
/** A node that left something out is checked in each range until so many agreed in a row. */
const agreeingRanges = 64
/** A node that was asked in vain, or knows less, is passed over for so many questions, then for twice as many. */
const longestRest = 64

/** Of the first ranges so many blocks are held against their receipts; then of all blocks with logs one in so many, more where nobody else can be asked about a node that left logs out. */
const everyBlocks = 128
const firstBlocks = 2
const everyBlocksOfDistrusted = 4

export interface NodeRecord {
  /** Ranges that were taken from it. */
  ranges: number
  /** The place in the stratum under way that is compared. */
  picked: number
  /** It left something out, and has not shown since that it does so no more. */
  isDistrusted: boolean
  /** It left something out, ever. */
  isForgetful: boolean
  /** Ranges confirmed in a row since. */
  agreed: number
  /** Where it is asked about what another told: questions for which it is passed over, and how often it was of no use in a row. */
  rest: number
  useless: number
  /** Told by it and taken. */
  told: Array<Told>
  /** The same, longer ago than is kept: first and last block. */
  forgotten: BlockRange | undefined
}

export interface Evidence {
  /** By place. A chain whose nodes cannot be told apart has one. */
  readonly nodes: Map<number, NodeRecord>
  /** Blocks with logs until the next one that is held against its receipts. */
  blocksLeft: number
  /** Ranges that were looked at. */
  ranges: number
  unread: number
  /** Ranges that are to be asked again, newest last. */
  readonly doubtful: Array<{ readonly node: number; readonly told: Told; readonly tries?: number }>
  /** Of those that nobody could be asked about, first and last block. */
  unasked: BlockRange | undefined
  /** The same of those that a node told which left logs out, and that are kept no more. */
  forgotten: BlockRange | undefined
  /** Known to be missing, and of a kind that nothing brings back but an index made anew: blocks, first and last. */
  readonly unhealed: Map<UnhealedKind, BlockRange>
  /** What was proven last, in plain words without secrets. */
  newest: string | undefined
  /** Opened when there are doubtful ranges. */
  readonly news: Latch.Latch
}

/** What the audit does not ask for. */
export type UnhealedKind = "approvals" | "swaps"

export const noteUnhealed = ({ unhealed }: Evidence, kind: UnhealedKind, block: number): void => {
  unhealed.set(kind, spanOf(unhealed.get(kind), { from: block, to: block }))
}

/** To be asked again should the node prove to leave logs out. */
export const noteTold = (record: NodeRecord, told: Told): void => {
  const gone = keepTold(record.told, told)
  if (gone !== undefined) record.forgotten = spanOf(record.forgotten, gone)
}

export const makeEvidence = (): Evidence => ({
  nodes: new Map(),
  blocksLeft: 0,
  ranges: 0,
  unread: 0,
  doubtful: [],
  unasked: undefined,
  forgotten: undefined,
  unhealed: new Map(),
  newest: undefined,
  news: Latch.makeUnsafe(false),
})

export const recordOf = ({ nodes }: Evidence, node: number): NodeRecord => {
  const known = nodes.get(node)
  if (known !== undefined) return known
  const record: NodeRecord = {
    ranges: 0,
    picked: 0,
    isDistrusted: false,
    isForgetful: false,
    agreed: 0,
    rest: 0,
    useless: 0,
    told: [],
    forgotten: undefined,
  }
  nodes.set(node, record)
  return record
}

/** Counts one range more of the node; whether it is to be compared with another's. `random`: 0 to 1. */
export const isRangeDue = (record: NodeRecord, random: number, isEmpty: boolean): boolean => {
  const every = record.isForgetful ? everyRangesOfForgetful : everyRanges
  const place = record.ranges % every
  if (place === 0) record.picked = Math.floor(random * every)
  const isFirst = record.ranges++ < firstRanges
  return isFirst || record.isDistrusted || place === record.picked || (isEmpty && random * everyEmptyRange < 1)
}

/** How many blocks of the range are held against their receipts whatever else is. */
export const firstBlocksOf = ({ ranges }: Evidence): number => (ranges <= firstRanges ? firstBlocks : 0)

/** How many blocks with logs come before the next one that is held against its receipts. `random`: 0 to 1. */
export const blocksBetween = ({ unread }: Evidence, isDistrusted: boolean, random: number): number => {
  const every = isDistrusted ? everyBlocksOfDistrusted : everyBlocks
  return 1 + Math.floor(random * (2 * every - 1)) * 2 ** Math.min(unread, 6)
}

export const confirm = (record: NodeRecord): void => {
  if (!record.isDistrusted || ++record.agreed < agreeingRanges) return
  record.isDistrusted = false
}

/** It knows less than another. */
export const suspect = (record: NodeRecord): void => {
  Object.assign(record, { isDistrusted: true, agreed: 0 })
}

/** It left logs out: nothing that it told is sure any more. */
export const distrust = (evidence: Evidence, node: number, why: string): void => {
  const record = recordOf(evidence, node)
  suspect(record)
  record.isForgetful = true
  evidence.newest = why
  evidence.blocksLeft = 0
  for (const told of record.told) evidence.doubtful.push({ node, told })
  record.told = []
  if (record.forgotten !== undefined) evidence.forgotten = spanOf(evidence.forgotten, record.forgotten)
  evidence.news.openUnsafe()
}

/** Whether it may be asked about what another told. */
export const isRested = (record: NodeRecord): boolean => record.rest === 0 || --record.rest === 0

export const noteUse = (record: NodeRecord, isUseful: boolean): void => {
  record.useless = isUseful ? 0 : record.useless + 1
  record.rest = isUseful ? 0 : Math.min(longestRest, 2 ** record.useless)
}

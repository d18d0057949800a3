/** Renders logs once, as the bytes of their JSON, into large slabs: an answer is a few copies of memory. */
import { ascii, writeHex } from "./hex.ts"

/** What a log says, in hex digits without `0x`. */
export interface LogShape {
  readonly address: Uint8Array
  /** 64 digits each; 40 are an address, padded. */
  readonly topics: ReadonlyArray<Uint8Array>
  readonly data: string
}

/** Where it stands. */
export interface LogPlace {
  readonly block: number
  /** Seconds; absent = this node puts no time on logs. */
  readonly time?: number
  readonly transaction: number
  readonly transactionHash: Uint8Array
  readonly logIndex: number
}

/** Some logs of one block, in order, each with a comma before it. */
export interface Run {
  readonly slab: Uint8Array
  readonly start: number
  readonly end: number
  readonly logs: number
}

const slabSize = 64 * 1024 * 1024
/** Room for any log. */
const logRoom = 4096

const open = ascii(',{"address":"0x')
const topics = ascii('","topics":[')
const topic = ascii('"0x')
const padding = ascii("0".repeat(24))
const nextTopic = ascii('",')
const data = ascii('"],"data":"0x')
const noTopics = ascii('],"data":"0x')
const blockNumber = ascii('","blockNumber":"0x')
const transactionHash = ascii('","transactionHash":"0x')
const transactionIndex = ascii('","transactionIndex":"0x')
const blockHash = ascii('","blockHash":"0x')
const blockTimestamp = ascii('","blockTimestamp":"0x')
const logIndex = ascii('","logIndex":"0x')
const close = ascii('","removed":false}')

export class Renderer {
  private slab = new Uint8Array(0)
  private at = 0
  private start = 0
  /** Where the block's hash is missing yet. */
  private readonly holes: Array<number> = []

  /** `reused`: a block's run is good until the next log. */
  constructor(private readonly reused = false) {}

  log(shape: LogShape, place: LogPlace): void {
    if (this.at + logRoom > this.slab.length) this.nextSlab()
    this.bytes(open)
    this.bytes(shape.address)
    this.bytes(topics)
    shape.topics.forEach((digits, index) => {
      if (index > 0) this.bytes(nextTopic)
      this.bytes(topic)
      if (digits.length === 40) this.bytes(padding)
      this.bytes(digits)
    })
    this.bytes(shape.topics.length > 0 ? data : noTopics)
    this.text(shape.data)
    this.bytes(blockNumber)
    this.text(place.block.toString(16))
    this.bytes(transactionHash)
    this.bytes(place.transactionHash)
    this.bytes(transactionIndex)
    this.text(place.transaction.toString(16))
    this.bytes(blockHash)
    this.holes.push(this.at)
    this.at += 64
    if (place.time !== undefined) {
      this.bytes(blockTimestamp)
      this.text(place.time.toString(16))
    }
    this.bytes(logIndex)
    this.text(place.logIndex.toString(16))
    this.bytes(close)
  }

  /** The block's run, its hash filled in. */
  end(hash: Uint8Array): Run {
    for (const hole of this.holes) writeHex(this.slab, hole, hash)
    const run = { slab: this.slab, start: this.start, end: this.at, logs: this.holes.length }
    this.holes.length = 0
    if (this.reused) this.at = 0
    this.start = this.at
    return run
  }

  private bytes(source: Uint8Array): void {
    // Byte by byte: a call of set costs more than such short texts.
    const { slab } = this
    let { at } = this
    for (let index = 0; index < source.length; index++) slab[at++] = source[index]!
    this.at = at
  }

  private text(source: string): void {
    for (let index = 0; index < source.length; index++) this.slab[this.at++] = source.charCodeAt(index)
  }

  /** The open block moves along. */
  private nextSlab(): void {
    const before = this.slab.subarray(this.start, this.at)
    this.slab = new Uint8Array(slabSize)
    this.slab.set(before)
    for (let index = 0; index < this.holes.length; index++) this.holes[index]! -= this.start
    this.at = before.length
    this.start = 0
  }
}

/** The bytes of runs that follow each other, as few pieces as they allow; without the first comma. */
export const joinRuns = (runs: Iterable<Run>): Array<Uint8Array> => {
  const pieces: Array<Uint8Array> = []
  let slab: Uint8Array | undefined
  let start = 0
  let end = 0
  const flush = () => {
    if (slab !== undefined && end > start) pieces.push(slab.subarray(start, end))
  }
  for (const run of runs) {
    if (run.slab !== slab || run.start !== end) {
      flush()
      slab = run.slab
      start = run.start
    }
    end = run.end
  }
  flush()
  if (pieces.length > 0) pieces[0] = pieces[0]!.subarray(1)
  return pieces
}

/** A chain made up from a seed: the same seed gives the same blocks, hashes, logs and balances. It grows, and forks on demand. */
import { addBits } from "./bloom.ts"
import { Collections } from "./collections.ts"
import { FirstTransactions } from "./firstTransactions.ts"
import { type Header, makeHeader } from "./header.ts"
import { ascii } from "./hex.ts"
import { Population } from "./population.ts"
import { Random } from "./random.ts"
import { Renderer, type Run } from "./renderer.ts"
import { Traffic } from "./traffic.ts"

export interface ChainOptions {
  readonly seed: number
  /** ERC-20 transfers a block, on average. */
  readonly logsPerBlock: number
  /** How far a block may be from the average, 0 to 1. */
  readonly spread: number
  /** Tokens that are there from the start. */
  readonly tokens: number
  /** Collectible logs beside each ERC-20 transfer, on average. */
  readonly nfts: number
  /** Whether logs carry their block's time. */
  readonly logTimes: boolean
}

export interface Block {
  readonly header: Header
  /** Logs that readers of tokens ask for. */
  readonly listed: Run
  readonly others: Run
}

/** What a block changed: enough to take it back. */
interface Journal {
  readonly pairs: Array<number>
  readonly changes: Array<bigint>
  readonly tokens: Map<number, { supply: bigint; transfers: number; events: number }>
  nfts: () => void
}

const emptyJournal = (): Journal => ({ pairs: [], changes: [], tokens: new Map(), nfts: () => {} })

const firstTime = 1_600_000_000
const secondsPerBlock = 12
/** Blocks that can be taken back. */
const undoable = 128

export class Chain {
  /** Of a streamed chain none. */
  readonly blocks: Array<Block | undefined> = []
  readonly population: Population
  readonly collections = new Collections()
  readonly firstTransactions = new FirstTransactions()
  transfers = 0
  private readonly random: Random
  private readonly traffic: Traffic
  private readonly listed: Renderer
  private readonly others: Renderer
  private newest: Header | undefined
  private readonly journals: Array<Journal> = []
  private journal = emptyJournal()
  private bloom = new Uint8Array(256)
  private logIndex = 0
  private transaction = 0
  private transactionHash = new Uint8Array(64)

  /** `streamed`: a block is good until the next one is begun. */
  constructor(
    private readonly options: ChainOptions,
    streamed = false,
  ) {
    this.listed = new Renderer(streamed)
    this.others = new Renderer(streamed)
    this.random = new Random(options.seed)
    this.population = new Population(this.random)
    this.population.addToken(true)
    while (this.population.tokens.length < Math.max(30, options.tokens)) this.population.addToken()
    this.traffic = new Traffic(
      this.random,
      this.population,
      this.collections,
      options.nfts,
      (shape, bits, listed) => {
        for (const each of bits) addBits(this.bloom, each)
        if (this.logIndex === 0 || this.random.chance(0.5)) this.nextTransaction()
        const place = {
          block: this.blocks.length,
          transaction: this.transaction,
          transactionHash: this.transactionHash,
          logIndex: this.logIndex++,
          ...(options.logTimes ? { time: this.time } : {}),
        }
        if (listed) this.firstTransactions.add(shape, place)
        ;(listed ? this.listed : this.others).log(shape, place)
      },
      {
        pair: (pair, change) => {
          this.journal.pairs.push(pair)
          this.journal.changes.push(change)
        },
        token: (id) => {
          if (this.journal.tokens.has(id)) return
          const { supply, transfers, events } = this.population.tokens[id]!
          this.journal.tokens.set(id, { supply, transfers, events })
        },
      },
    )
    this.close()
  }

  get head(): Header {
    return this.newest!
  }

  headerOf(number: number): Header | undefined {
    return this.blocks[number]?.header
  }

  /** Undefined for one that is not there, or was forgotten. */
  blockOf(number: number): Block | undefined {
    return this.blocks[number]
  }

  /** The streamed chain's way with a block that is in its file. */
  forgetNewest(): void {
    this.blocks[this.blocks.length - 1] = undefined
  }

  /** Adds a block of at most `most` ERC-20 transfers, or of `exactly` so many; gives how many they are. */
  grow(most = Number.POSITIVE_INFINITY, exactly?: number): number {
    const { logsPerBlock, spread } = this.options
    const wanted = Math.round(logsPerBlock * (1 + spread * (2 * this.random.unit() - 1)))
    const count = exactly ?? Math.min(most, Math.max(0, wanted))
    this.journal = emptyJournal()
    for (let step = 0; step < count; step++) this.traffic.step()
    this.close()
    this.journal.nfts = this.collections.close()
    this.journals.push(this.journal)
    if (this.journals.length > undoable) this.journals.shift()
    this.transfers += count
    return count
  }

  /** Takes the newest `depth` blocks back. What grows next is another branch. */
  rewind(depth: number): void {
    const { population } = this
    for (let left = depth; left > 0; left--) {
      const journal = this.journals.pop()
      if (journal === undefined) throw new Error(`only ${depth - left} blocks can be taken back`)
      journal.nfts()
      journal.pairs.forEach((pair, index) => {
        population.balances.add(pair, -journal.changes[index]!)
        population.touches.add(pair, -1)
      })
      for (const [id, { supply, transfers, events }] of journal.tokens) {
        const token = population.tokens[id]!
        this.transfers -= token.transfers - transfers
        token.supply = supply
        token.transfers = transfers
        token.events = events
      }
      this.blocks.pop()
      this.newest = this.blocks.at(-1)!.header
    }
    this.firstTransactions.rewind(this.blocks.length)
  }

  private get time(): number {
    return firstTime + this.blocks.length * secondsPerBlock
  }

  private close(): void {
    const header = makeHeader({
      number: this.blocks.length,
      parentHash: this.newest?.hash ?? new Uint8Array(32),
      time: this.time,
      bloom: this.bloom,
      root: this.random.fill(new Uint8Array(32)),
    })
    this.newest = header
    this.blocks.push({ header, listed: this.listed.end(header.hash), others: this.others.end(header.hash) })
    this.bloom = new Uint8Array(256)
    this.logIndex = 0
    this.transaction = -1
  }

  private nextTransaction(): void {
    this.transaction++
    this.transactionHash = ascii(
      Buffer.from(this.random.fill(new Uint8Array(32))).toString("hex"),
    ) as Uint8Array<ArrayBuffer>
  }
}

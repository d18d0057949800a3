/** A node in memory that serves a TestChain, with the faults of real ones on request. */
import { Effect } from "effect"
import type { Log } from "../../../src/model/block.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import {
  type ChainSourceClient,
  type CrossCheck,
  type LogsBloom,
  RangeRefused,
  type SourceHeader,
  SourceUnavailable,
} from "../../../src/ports/ChainSource.ts"
import type { TestBlock, TestChain } from "../chain/testChain.ts"

export interface Faults {
  /** Asked before every call; true = it fails. */
  fails?: () => boolean
  /** Longer ranges are refused. */
  mostBlocks?: number
  /** Ranges with more logs are refused, single blocks too. */
  mostLogs?: number
  /** Refusals propose the range that would be taken. */
  suggests?: boolean
  /** What headers say of their logs: `true`, nothing at all (`zero`), or nothing of transfers from the zero address (`partial`). Absent: no bloom. */
  bloom?: "true" | "zero" | "partial"
  /** Blocks of which `eth_getLogs` keeps logs back. */
  hides?: (blockNumber: number) => boolean
  /** Who else can be asked of a block: another node, the receipts. Neither hides anything. */
  others?: ReadonlyArray<"second" | "receipts">
  /** Newest block that is shown; the chain may go on above. */
  shown?: number
  /** Oldest block that is kept. */
  oldest?: number
  /** Called before every answer: may change the chain under the reader. */
  before?: (call: string) => void
  /** What `eth_chainId` says. */
  chainId?: ChainId
  /** Logs of other contracts or none at all, put in place of the true ones. */
  logs?: (logs: ReadonlyArray<Log>) => ReadonlyArray<Log>
}

export class FakeNode implements ChainSourceClient {
  /** Every call: its name and the blocks it asked for. */
  readonly calls: Array<string> = []

  constructor(
    readonly chain: TestChain,
    readonly faults: Faults = {},
  ) {}

  readonly chainId = this.answer("chainId", () => this.faults.chainId ?? ChainId.make("1"))
  readonly head = this.answer("head", () => this.headerOf(this.visible.at(-1)!))

  headers(numbers: ReadonlyArray<number>) {
    return this.answer(`headers ${numbers.join()}`, () =>
      numbers.map((number) => {
        const block = this.block(number)
        return block && this.headerOf(block)
      }),
    )
  }

  logs(from: number, to: number) {
    return this.answer(`logs ${from}-${to}`, () => this.logsBetween(from, to)).pipe(
      Effect.flatMap((answer) =>
        answer instanceof RangeRefused || answer instanceof SourceUnavailable
          ? Effect.fail(answer)
          : Effect.succeed(answer),
      ),
    )
  }

  logsOfBlocks(hashes: ReadonlyArray<string>) {
    return this.answer(`logsOfBlocks ${hashes.length}`, () =>
      hashes.map((hash) => {
        const block = this.visible.find(({ header }) => header.hash === hash)
        return block && this.logsOf(block)
      }),
    )
  }

  crossCheck(hashes: ReadonlyArray<string>) {
    this.calls.push(`otherWords ${hashes.length}`)
    const { others = [] } = this.faults
    return Effect.succeed(
      hashes.map((hash): CrossCheck => {
        const block = this.visible.find(({ header }) => header.hash === hash)
        return block === undefined ? {} : Object.fromEntries(others.map((way) => [way, this.trueLogs(block)]))
      }),
    )
  }

  readonly failover = Effect.sync(() => void this.calls.push("failover"))

  private headerOf(block: TestBlock): SourceHeader {
    const { bloom: kind } = this.faults
    if (kind === undefined) return block.header
    const listed = this.trueLogs(block).filter(
      ({ topics }) => kind === "true" || (kind === "partial" && topics[1] !== word("0x0")),
    )
    const bloom: LogsBloom = {
      empty: listed.length === 0,
      mayHold: ({ logIndex }) => listed.some((log) => log.logIndex === logIndex),
      suggestsLogs: () => listed.length > 0,
      excludesLogs: () => listed.length === 0,
      suggestsOthers: () => false,
    }
    return { ...block.header, bloom }
  }

  private logsBetween(from: number, to: number) {
    const { mostBlocks = Number.POSITIVE_INFINITY, mostLogs = Number.POSITIVE_INFINITY, suggests = false } = this.faults
    if (this.block(to) === undefined)
      return new SourceUnavailable({ kind: "behind", message: `the node has no block ${to} yet` })
    const blocks = this.visible.filter(({ header }) => header.number >= from && header.number <= to)
    if (to - from + 1 > mostBlocks) {
      return new RangeRefused({
        message: `range over ${mostBlocks}`,
        ...(suggests ? { suggestedTo: from + mostBlocks - 1 } : {}),
      })
    }
    const logs = blocks.flatMap((block) => this.logsOf(block))
    return logs.length > mostLogs ? new RangeRefused({ message: `more than ${mostLogs} logs` }) : logs
  }

  private get visible(): ReadonlyArray<TestBlock> {
    const { shown = Number.POSITIVE_INFINITY, oldest = 0 } = this.faults
    return this.chain.blocks.filter(({ header }) => header.number >= oldest && header.number <= shown)
  }

  private block(number: number): TestBlock | undefined {
    return this.visible.find(({ header }) => header.number === number)
  }

  private logsOf(block: TestBlock): ReadonlyArray<Log> {
    const logs = this.faults.hides?.(block.header.number) === true ? [] : this.trueLogs(block)
    return this.faults.logs?.(logs) ?? logs
  }

  private trueLogs({ logs }: TestBlock): ReadonlyArray<Log> {
    return logs
  }

  private answer<Answer>(call: string, answer: () => Answer): Effect.Effect<Answer, SourceUnavailable> {
    return Effect.suspend(() => {
      this.calls.push(call)
      this.faults.before?.(call)
      if (this.faults.fails?.())
        return Effect.fail(new SourceUnavailable({ kind: "call", message: "the node is out of order" }))
      return Effect.sync(answer)
    }).pipe(Effect.tap(() => Effect.yieldNow))
  }
}

const word = (hex: string) => `0x${hex.slice(2).padStart(64, "0")}`

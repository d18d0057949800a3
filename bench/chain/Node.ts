/** The JSON-RPC methods of a node over a made-up chain: every answer as bytes, ready to be sent. */
import { approvalTopics, topics } from "../../src/domain/ingest/decode/topics.ts"
import type { Block, Chain } from "./Chain.ts"
import { Calls } from "./calls.ts"
import { renderHeader } from "./header.ts"
import { hexOf, quantity } from "./hex.ts"
import { type RangeLimits, refusalOf } from "./limits.ts"
import { logsOf, type RenderedLog, receiptOf, receiptsOf } from "./receipts.ts"
import { joinRuns } from "./renderer.ts"
import type { StreamedChain } from "./StreamedChain.ts"

/** Bytes of a result, or an error. */
export type Answer = ReadonlyArray<Uint8Array | string> | { readonly code: number; readonly message: string }

export interface NodeOptions extends RangeLimits {
  readonly chainId: number
  /** Blocks behind the head that `finalized` names. */
  readonly finality: number
}

interface LogFilter {
  readonly fromBlock?: string
  readonly toBlock?: string
  readonly blockHash?: string
  readonly address?: string | ReadonlyArray<string>
  readonly topics?: ReadonlyArray<string | ReadonlyArray<string> | null>
}

export class Node {
  /** The newest block that is shown. */
  head = 0
  logsServed = 0
  /** Moments (milliseconds since 1970) of a block's first showing as head, and of its header's, logs' and receipts' first serving. */
  readonly shownAt = new Map<number, number>()
  readonly headerAt = new Map<number, number>()
  readonly servedAt = new Map<number, number>()
  readonly receiptsAt = new Map<number, number>()
  firstLogsAt: number | undefined
  private readonly calls: Calls
  private readonly byHash = new Map<string, number>()
  private indexed = 0
  private refusals = 0

  constructor(
    private readonly chain: Chain | StreamedChain,
    private readonly options: NodeOptions,
  ) {
    this.calls = new Calls(chain)
  }

  /** `head`: the newest block to admit to. */
  answer(method: string, params: ReadonlyArray<unknown>, head = this.head): Answer {
    switch (method) {
      case "eth_chainId":
        return [JSON.stringify(quantity(this.options.chainId))]
      case "net_version":
        return [JSON.stringify(`${this.options.chainId}`)]
      case "eth_blockNumber":
        return [JSON.stringify(quantity(head))]
      case "eth_getBlockByNumber":
        return this.headerOf(this.numberOf(params[0], head), head)
      case "eth_getBlockByHash":
        return this.headerOf(this.numberOfHash(params[0] as string), head)
      case "eth_getLogs":
        return this.logs(params[0] as LogFilter, head)
      case "eth_getBlockReceipts":
        return this.receipts(this.numberOf(params[0], head), head)
      case "eth_call": {
        const { to, data, input } = params[0] as { to: string; data?: string; input?: string }
        const result = this.calls.call(to, data ?? input ?? "0x")
        return result === undefined ? { code: 3, message: "execution reverted" } : [JSON.stringify(result)]
      }
      case "eth_getTransactionReceipt":
        return receiptOf(this.chain, params[0] as string, head)
      case "eth_getCode":
        return [this.hasCode(params[0] as string, this.numberOf(params[1], head) ?? head) ? '"0x60806040"' : '"0x"']
      default:
        return { code: -32601, message: `the method ${method} does not exist/is not available` }
    }
  }

  private headerOf(number: number | undefined, head: number): Answer {
    const header = number === undefined || number > head ? undefined : this.chain.headerOf(number)
    if (header !== undefined) note(this.headerAt, header.number)
    return [header === undefined ? "null" : renderHeader(header)]
  }

  private receipts(number: number | undefined, head: number): Answer {
    if (number !== undefined) note(this.receiptsAt, number)
    return receiptsOf(this.chain, number ?? head + 1, head)
  }

  private logs(filter: LogFilter, head: number): Answer {
    const now = performance.timeOrigin + performance.now()
    this.firstLogsAt ??= now
    if (filter.blockHash !== undefined) {
      const number = this.numberOfHash(filter.blockHash)
      if (number === undefined || number > head) return { code: -32000, message: "unknown block" }
      note(this.servedAt, number)
      const block = this.chain.blockOf(number)
      return this.render([block!], filter)
    }
    const from = this.numberOf(filter.fromBlock ?? "latest", head) ?? head + 1
    const to = Math.min(this.numberOf(filter.toBlock ?? "latest", head) ?? head, head)
    const blocks: Array<Block> = []
    for (let number = from; number <= to; number++) {
      blocks.push(this.chain.blockOf(number)!)
    }
    const counts = blocks.map(({ listed }) => listed.logs)
    const refusal = refusalOf(
      this.options,
      from,
      this.numberOf(filter.toBlock ?? "latest", head) ?? to,
      counts.reduce((sum, count) => sum + count, 0),
      () => {
        let [sum, end] = [0, 0]
        while (sum + (counts[end] ?? Number.NaN) <= this.options.maxResults) sum += counts[end++]!
        return from + end - 1
      },
      this.refusals,
    )
    if (refusal === undefined) return this.render(blocks, filter)
    this.refusals++
    return refusal
  }

  private render(blocks: ReadonlyArray<Block>, filter: LogFilter): Answer {
    const signatures = filter.topics?.[0]
    const plain =
      filter.address === undefined &&
      filter.topics?.length === 1 &&
      Array.isArray(signatures) &&
      Object.values(topics).every((signature) => signatures.includes(signature)) &&
      // Those lie among the logs that are not asked for else.
      !Object.values(approvalTopics).some((signature) => signatures.includes(signature))
    if (plain) {
      for (const { listed } of blocks) this.logsServed += listed.logs
      return ["[", ...joinRuns(blocks.map(({ listed }) => listed)), "]"]
    }
    const found = blocks.flatMap((block) => logsOf(block).filter((log) => passes(log, filter)))
    this.logsServed += found.length
    return [JSON.stringify(found)]
  }

  private hasCode(address: string, block: number): boolean {
    return block >= (this.chain.firstTransactions.birthOf(address.toLowerCase()) ?? Number.POSITIVE_INFINITY)
  }

  private numberOf(tag: unknown, head: number): number | undefined {
    if (typeof tag === "object" && tag !== null) return this.numberOfHash((tag as { blockHash: string }).blockHash)
    if (tag === "earliest") return 0
    if (tag === "finalized" || tag === "safe") return Math.max(0, head - this.options.finality)
    if (typeof tag !== "string" || !tag.startsWith("0x")) return head
    return tag.length === 66 ? this.numberOfHash(tag) : Number(tag)
  }

  /** Of blocks on the branch that stands. */
  private numberOfHash(hash: string): number | undefined {
    for (let header = this.chain.headerOf(this.indexed); header !== undefined; ) {
      this.byHash.set(hexOf(header.hash), this.indexed)
      header = this.chain.headerOf(++this.indexed)
    }
    const number = this.byHash.get(hash.toLowerCase())
    const header = number === undefined ? undefined : this.chain.headerOf(number)
    return header !== undefined && hexOf(header.hash) === hash ? number : undefined
  }

  /** Blocks from `number` on are others now. */
  replacedFrom(number: number): void {
    this.indexed = Math.min(this.indexed, number)
    for (const seen of [this.shownAt, this.headerAt, this.servedAt, this.receiptsAt])
      for (const key of seen.keys()) if (key >= number) seen.delete(key)
  }

  show(number: number): void {
    this.head = number
    this.shownAt.set(number, performance.timeOrigin + performance.now())
  }
}

/** Now, unless it was before. */
const note = (moments: Map<number, number>, number: number): void => {
  if (!moments.has(number)) moments.set(number, performance.timeOrigin + performance.now())
}

const passes = (log: RenderedLog, { address, topics: wanted }: LogFilter): boolean =>
  (address === undefined || [address].flat().some((it) => it.toLowerCase() === log.address)) &&
  (wanted ?? []).every((value, index) => value === null || [value].flat().includes(log.topics[index] ?? ""))

/** What a webhook is to be told and has not been sent yet: bounded, by chain, cut into batches. */
import { Deferred, Effect } from "effect"
import type { Delivery } from "../../model/events/event.ts"
import { type ChainPosition, positionsText } from "../../model/events/position.ts"
import type { Awaited } from "../../model/events/webhook.ts"
import type { ChainId } from "../../model/primitives.ts"

/** Deliveries that lie there at most, before and after which more are read. */
const most = 2000
const few = 500
/** Of a batch. */
const batchEvents = 1000
const batchBytes = 1024 * 1024

export interface Cut {
  readonly chainId: ChainId
  /** Behind what was cut. */
  readonly position: ChainPosition
  /** As JSON; none = nothing is worth a request. */
  readonly events: ReadonlyArray<string>
  readonly positions: string
  readonly awaited: Awaited
}

export class WebhookQueue {
  private readonly queues = new Map<ChainId, Array<Delivery>>()
  private waiting: Array<Deferred.Deferred<void>> = []

  /** `positions`: where the receiver stands, as far as it was told anything. */
  constructor(
    private readonly positions: Map<ChainId, ChainPosition>,
    private awaited: Awaited,
    private readonly onlyFinal: boolean,
  ) {}

  push(chainId: ChainId, deliveries: ReadonlyArray<Delivery>, must: boolean): boolean {
    const queue = this.queues.get(chainId) ?? []
    this.queues.set(chainId, queue)
    if (!must && queue.length + deliveries.length > most) return false
    queue.push(...deliveries)
    this.wake()
    return true
  }

  isEmpty(): boolean {
    return [...this.queues.values()].every(({ length }) => length === 0)
  }

  isEmptyOf(chainId: ChainId): boolean {
    return (this.queues.get(chainId)?.length ?? 0) === 0
  }

  /** Until there is something to send. */
  readonly filled: Effect.Effect<void> = Effect.suspend(() => this.until(() => !this.isEmpty()))

  /** Until there is room for more of the chain. */
  readonly drained = (chainId: ChainId): Effect.Effect<void> =>
    Effect.suspend(() => this.until(() => (this.queues.get(chainId)?.length ?? 0) < few))

  private until(holds: () => boolean): Effect.Effect<void> {
    if (holds()) return Effect.void
    const deferred = Deferred.makeUnsafe<void>()
    this.waiting.push(deferred)
    const given = Effect.onInterrupt(Deferred.await(deferred), () =>
      Effect.sync(() => {
        this.waiting = this.waiting.filter((it) => it !== deferred)
      }),
    )
    return Effect.andThen(
      given,
      Effect.suspend(() => this.until(holds)),
    )
  }

  /** Of the chain that waits longest, its first deliveries. Undefined = there are none. */
  cut(): Cut | undefined {
    const found = [...this.queues].find(([, queue]) => queue.length > 0)
    if (found === undefined) return undefined
    const [chainId, queue] = found
    // The others come first next time.
    this.queues.delete(chainId)
    this.queues.set(chainId, queue)
    const events: Array<string> = []
    let bytes = 0
    let taken = 0
    for (const delivery of queue) {
      if (events.length >= batchEvents) break
      const text = this.isWorth(chainId, delivery)
        ? JSON.stringify({ type: delivery.type, ...delivery.data })
        : undefined
      const size = text === undefined ? 0 : new TextEncoder().encode(text).byteLength + 1
      if (events.length > 0 && bytes + size > batchBytes - 4096) break
      if (text !== undefined) {
        events.push(text)
        bytes += size
        this.await(chainId, delivery)
      }
      this.positions.set(chainId, delivery.position)
      taken++
    }
    queue.splice(0, taken)
    this.wake()
    return { chainId, position: this.positions.get(chainId)!, events, positions: this.text(), awaited: this.awaited }
  }

  /** Where the receiver stands that was told nothing more up to there. */
  moveOn(chainId: ChainId, position: ChainPosition): void {
    this.positions.set(chainId, position)
  }

  text(): string {
    return this.positions.size === 0 ? "" : positionsText(this.positions.values())
  }

  private isWorth(chainId: ChainId, { type, data }: Delivery): boolean {
    if (type === "heartbeat") return false
    if (type !== "finalized") return true
    const [low] = this.awaited[chainId] ?? []
    return !this.onlyFinal && low !== undefined && low <= (data as { readonly block: number }).block
  }

  private await(chainId: ChainId, { type, data }: Delivery): void {
    const { block } = data as { readonly block: number }
    const { [chainId]: own, ...others } = this.awaited
    if (type === "finalized") {
      this.awaited = own === undefined || own[1] <= block ? others : { ...others, [chainId]: [block + 1, own[1]] }
    } else if (type !== "retract") {
      this.awaited = { ...others, [chainId]: [Math.min(own?.[0] ?? block, block), Math.max(own?.[1] ?? block, block)] }
    }
  }

  private wake(): void {
    const all = this.waiting
    this.waiting = []
    for (const deferred of all) Deferred.doneUnsafe(deferred, Effect.void)
  }
}

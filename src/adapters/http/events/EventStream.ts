/** One consumer's stream of server-sent events: what it does not read in time is bounded, and then it is let go. */
import { type Context, Duration, Effect, Fiber } from "effect"
import { EventHub } from "../../../domain/events/EventHub.ts"
import { goneAmong } from "../../../domain/events/gone.ts"
import type { Batch } from "../../../domain/events/groups.ts"
import type { Part, Stand, Start } from "../../../domain/events/subscription.ts"
import type { EventFilter } from "../../../model/events/filter.ts"
import { positionText } from "../../../model/events/position.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { Beats } from "./Beats.ts"
import { batchOf, bytesOf, textOf, textsAround } from "./frames.ts"
import type { Unread, UnreadChunks } from "./Unread.ts"

/** What may lie unread. */
const mostBytes = 1024 * 1024
/** Of it, while old events are read: more of them are read when less lies there. */
const roomBytes = 256 * 1024

export interface Following {
  readonly chainId: ChainId
  readonly start: Start
  /** What was read to see whether the start still stands. Taken out by the stream: it would be held for as long as that is open. */
  first?: Part
}

export interface StreamWish {
  readonly chains: ReadonlyArray<Following>
  readonly filter: EventFilter
  readonly onlyFinal: boolean
  /** In whose turn it is read what was missed. */
  readonly caller: string
  readonly beats: Beats
  /** What lies unread of all streams: where that is too much, who has most of it is let go. */
  readonly unread: Unread
  /** Who makes no room in this time is let go, and comes back with its position when it can. */
  readonly patienceMs: number
  /** Whether the caller would be let in now. Who would not is let go at the next sign of life. */
  readonly isLetIn: () => boolean
  /** Called once, at the end. */
  readonly ended: () => void
  /** Called before that where the consumer made no room. */
  readonly dropped: () => void
}

const encoder = new TextEncoder()

export class EventStream {
  readonly body: ReadableStream<Uint8Array>
  private controller!: ReadableStreamDefaultController<Uint8Array>
  private readonly stands = new Map<ChainId, Stand>()
  /** The position of each chain that was spoken of already: what a consumer would come back with. */
  private readonly texts: Map<ChainId, string>
  private readonly fibers: Array<Fiber.Fiber<unknown, unknown>> = []
  private waiting: Array<() => void> = []
  private over = false
  private readonly unread: UnreadChunks
  private sentBytes = 0

  constructor(
    private readonly context: Context.Context<EventHub>,
    private readonly wish: StreamWish,
  ) {
    this.texts = new Map(
      wish.chains.flatMap(({ chainId, start, first }) => {
        // What one chain is told may be the last that is read: of the others nothing was told by then.
        const position = first?.from ?? start
        return typeof position === "string" ? [] : [[chainId, positionText(position)] as const]
      }),
    )
    this.unread = wish.unread.of(() => this.unreadBytes(), this.letGo)
    this.body = new ReadableStream<Uint8Array>(
      {
        start: (controller) => {
          this.controller = controller
          this.begin()
        },
        pull: () => {
          const free = this.waiting
          this.waiting = []
          this.unread.look()
          for (const go of free) go()
        },
        cancel: () => this.end(),
      },
      new ByteLengthQueuingStrategy({ highWaterMark: mostBytes }),
    )
  }

  /** Lets everything go. The body ends where it is: whoever reads on comes back with its position. */
  end(): void {
    if (this.over) return
    this.over = true
    this.wish.beats.remove(this)
    this.unread.end()
    for (const fiber of this.fibers) Effect.runFork(Fiber.interrupt(fiber))
    for (const go of this.waiting) go()
    this.wish.ended()
  }

  /** Where the service itself stops. */
  close(): void {
    if (this.over) return
    this.end()
    this.controller.close()
  }

  private begin(): void {
    const { chains, filter, onlyFinal, caller, beats } = this.wish
    this.send("retry: 1000\n\n", true)
    for (const following of chains) {
      const { chainId, first } = following
      const start = first?.position ?? following.start
      delete following.first
      if (first !== undefined && first.deliveries.length > 0) this.push(chainId, { deliveries: first.deliveries }, true)
      let isNew = true
      const subscribed = EventHub.use((hub) =>
        hub.subscribe({
          chainId,
          filter,
          onlyFinal,
          caller,
          start,
          push: (batch, must) => this.push(chainId, batch, must),
          room: this.room,
          hasRoom: () => this.hasRoom(),
          stand: (stand) => {
            this.stands.set(chainId, stand)
            // From now on a consumer that comes back knows where it stood.
            if (isNew) this.push(chainId, batchOf(stand.heartbeat()), true)
            isNew = false
          },
        }),
      )
      const watched = Effect.catch(subscribed, (gone) =>
        Effect.sync(() => {
          const { message, after } = chains.length === 1 ? gone : goneAmong(gone, chainId, this.texts)
          this.send(`event: gone\ndata: ${JSON.stringify({ chainId, message, ...(after && { after }) })}\n\n`, true)
          this.close()
        }),
      )
      this.fibers.push(Effect.runForkWith(this.context)(watched))
    }
    if (!this.over) beats.add(this)
  }

  /** A sign of life. */
  beat(): void {
    if (!this.wish.isLetIn()) {
      this.close()
      return
    }
    if (this.stands.size === 0) this.send(": waiting\n\n", false)
    for (const [chainId, stand] of this.stands) this.push(chainId, batchOf(stand.heartbeat()), false)
  }

  /** `must`: whatever lies there. */
  private push(chainId: ChainId, batch: Batch, must: boolean): boolean {
    if (this.over) return true
    if (this.wish.chains.length === 1) return this.sendBytes(bytesOf(batch), must)
    const { ahead, behind } = textsAround(this.texts, chainId)
    let own = ""
    const text = textOf(batch.deliveries, ({ position }) => {
      own = positionText(position)
      return ahead + own + behind
    })
    const isSent = this.send(text, must)
    if (isSent && own !== "") this.texts.set(chainId, own)
    return isSent
  }

  private send(text: string, must: boolean): boolean {
    return this.sendBytes(encoder.encode(text), must)
  }

  private sendBytes(bytes: Uint8Array, must: boolean): boolean {
    if (this.over) return true
    if (!must && bytes.byteLength > (this.controller.desiredSize ?? 0)) return false
    this.controller.enqueue(bytes)
    this.sentBytes += bytes.byteLength
    this.unread.add(bytes)
    return true
  }

  /** Nothing waits for those who read nothing. */
  private readonly room: Effect.Effect<void> = Effect.suspend(() => {
    const before = this.readBytes()
    return Effect.timeoutOrElse(this.isRoom, {
      duration: Duration.millis(this.wish.patienceMs),
      orElse: () => (this.readBytes() > before ? this.room : Effect.sync(this.letGo)),
    })
  })

  private readonly letGo = (): void => {
    if (!this.over) this.wish.dropped()
    this.end()
    this.controller.error(new Error("an event stream was broken off: the client reads too slowly"))
  }

  private hasRoom(): boolean {
    return this.over || this.unreadBytes() < roomBytes
  }

  private unreadBytes(): number {
    return mostBytes - (this.controller.desiredSize ?? 0)
  }

  private readBytes(): number {
    return this.sentBytes - this.unreadBytes()
  }

  private readonly isRoom: Effect.Effect<void> = Effect.suspend(() => {
    if (this.hasRoom()) return Effect.void
    return Effect.andThen(
      Effect.callback<void>((resume) => {
        this.waiting.push(() => resume(Effect.void))
      }),
      this.isRoom,
    )
  })
}

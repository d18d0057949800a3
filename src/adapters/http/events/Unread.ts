/** What lies unread of all streams: bounded in sum, however many callers each have as many as one may. What many were sent lies there once. */

/** How much of it is left where it was too much: not one stream is let go for each that comes. */
const keptShare = 0.75

/** Of one stream, in the order in which it was sent. */
class UnreadChunks {
  private chunks: Array<Uint8Array> = []
  private firstAt = 0
  private bytes = 0

  constructor(
    private readonly all: Unread,
    private readonly unreadBytes: () => number,
    readonly letGo: () => void,
  ) {}

  add(chunk: Uint8Array): void {
    this.chunks.push(chunk)
    this.bytes += chunk.byteLength
    this.all.hold(chunk)
    this.look()
  }

  /** Chunks are read whole. Gives what is left. */
  look(): number {
    const unread = this.unreadBytes()
    while (this.firstAt < this.chunks.length && this.bytes - this.chunks[this.firstAt]!.byteLength >= unread) {
      const read = this.chunks[this.firstAt++]!
      this.bytes -= read.byteLength
      this.all.release(read)
    }
    if (this.firstAt * 2 > this.chunks.length) {
      this.chunks = this.chunks.slice(this.firstAt)
      this.firstAt = 0
    }
    return this.bytes
  }

  end(): void {
    for (const chunk of this.chunks.slice(this.firstAt)) this.all.release(chunk)
    this.chunks = []
    this.firstAt = 0
    this.bytes = 0
    this.all.forget(this)
  }
}

export type { UnreadChunks }

export class Unread {
  private readonly streams = new Set<UnreadChunks>()
  /** How often each lies in a stream. */
  private readonly held = new Map<Uint8Array, number>()
  private heldBytes = 0
  private isLookDue = false

  constructor(private readonly mostBytes: number) {}

  /** Of a stream that begins. `letGo`: what it holds is wanted back, and it ends. */
  of(unreadBytes: () => number, letGo: () => void): UnreadChunks {
    const own = new UnreadChunks(this, unreadBytes, letGo)
    this.streams.add(own)
    return own
  }

  get bytes(): number {
    return this.heldBytes
  }

  hold(chunk: Uint8Array): void {
    const times = this.held.get(chunk) ?? 0
    this.held.set(chunk, times + 1)
    if (times === 0) this.heldBytes += chunk.byteLength
    if (this.heldBytes <= this.mostBytes || this.isLookDue) return
    this.isLookDue = true
    // Not amid a block's way to all streams, nor while one is being opened.
    queueMicrotask(() => this.makeRoom())
  }

  release(chunk: Uint8Array): void {
    const times = this.held.get(chunk)!
    if (times > 1) {
      this.held.set(chunk, times - 1)
      return
    }
    this.held.delete(chunk)
    this.heldBytes -= chunk.byteLength
  }

  forget(own: UnreadChunks): void {
    this.streams.delete(own)
  }

  /** Who has left most unread goes first. */
  private makeRoom(): void {
    this.isLookDue = false
    const bySize = [...this.streams].map((own) => ({ own, left: own.look() })).sort((a, b) => b.left - a.left)
    if (this.heldBytes <= this.mostBytes) return
    for (const { own } of bySize) {
      if (this.heldBytes <= this.mostBytes * keptShare) return
      own.letGo()
    }
  }
}

/** One clock for the signs of life of all streams: their turns are spread over the whole time between two, so no moment has them all. */

export interface Beating {
  readonly beat: () => void
}

/** Parts of the time between two signs of life. */
const turns = 64

export class Beats {
  private readonly byTurn = Array.from({ length: turns }, () => new Set<Beating>())
  private readonly turnOf = new Map<Beating, number>()
  private timer: ReturnType<typeof setInterval> | undefined
  private now = 0
  private begun = 0

  constructor(private readonly everyMs: number) {}

  /** The first comes within the time between two, the others after it each. Who is there already stays where it is. */
  add(one: Beating): void {
    if (this.turnOf.has(one)) return
    // Those who come together get turns one after the other.
    const turn = this.begun++ % turns
    this.turnOf.set(one, turn)
    this.byTurn[turn]!.add(one)
    this.timer ??= setInterval(() => this.next(), this.everyMs / turns)
  }

  remove(one: Beating): void {
    const turn = this.turnOf.get(one)
    if (turn === undefined) return
    this.turnOf.delete(one)
    this.byTurn[turn]!.delete(one)
    if (this.turnOf.size > 0) return
    clearInterval(this.timer)
    this.timer = undefined
  }

  private next(): void {
    this.now = (this.now + 1) % turns
    for (const one of [...this.byTurn[this.now]!]) one.beat()
  }
}

/** Values that many things share, by small numbers: each is held for as long as something names it. */

export class Interned<Value> {
  private values: Array<Value> = []
  private uses: Array<number> = []
  /** Numbers that name nothing at the moment. */
  private free: Array<number> = []
  private readonly numbers = new Map<unknown, number>()

  /** `nameOf`: values of one name are one. */
  constructor(private readonly nameOf: (value: Value) => unknown) {}

  /** The number of a value, which one thing more names from now on. */
  use(value: Value): number {
    const name = this.nameOf(value)
    const number = this.numbers.get(name) ?? this.free.pop() ?? this.values.length
    if (this.numbers.get(name) === undefined) {
      this.numbers.set(name, number)
      this.values[number] = value
      this.uses[number] = 0
    }
    this.uses[number]!++
    return number
  }

  /** Of a number that something names. */
  at(number: number): Value {
    return this.values[number]!
  }

  /** One thing less names it. */
  release(number: number): void {
    if (--this.uses[number]! > 0) return
    this.numbers.delete(this.nameOf(this.values[number]!))
    delete this.values[number]
    this.free.push(number)
  }

  /** Nothing names any. */
  clear(): void {
    this.values = []
    this.uses = []
    this.free = []
    this.numbers.clear()
  }
}

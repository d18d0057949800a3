/** Values that many things share, by small numbers: each is held for as long as something names it. */

export class Interned<Value> {
  private values: Array<Value> = []
  private uses: Array<number> = []
  /** Numbers that name nothing at the moment. */
  private free: Array<number> = []
  private readonly numbers = new Map<unknown, number>()

  /** `most`: of so many values there are numbers at one time. `nameOf`: values of one name are one. */
  constructor(
    private readonly most: number,
    private readonly nameOf: (value: Value) => unknown,
  ) {}

  /** The number of a value, which one thing more names from now on; undefined = there are too many. */
  use(value: Value): number | undefined {
    const name = this.nameOf(value)
    const known = this.numbers.get(name)
    if (known !== undefined) {
      this.uses[known]!++
      return known
    }
    if (this.numbers.size >= this.most) return undefined
    const number = this.free.pop() ?? this.values.length
    this.numbers.set(name, number)
    this.values[number] = value
    this.uses[number] = 1
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

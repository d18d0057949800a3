/** Numbers by numbers, in flat memory: a Map of tens of millions is too large for the runtime. */

export class PairIndex {
  private keys = new Float64Array(2048).fill(-1)
  private values = new Int32Array(2048)
  private count = 0

  get(key: number): number | undefined {
    const slot = this.slotOf(key)
    return this.keys[slot] === key ? this.values[slot] : undefined
  }

  set(key: number, value: number): void {
    const slot = this.slotOf(key)
    if (this.keys[slot] !== key) this.count++
    this.keys[slot] = key
    this.values[slot] = value
    if (this.count * 2 > this.keys.length) this.grow()
  }

  private slotOf(key: number): number {
    const { keys } = this
    const mask = keys.length - 1
    let slot = (Math.imul(key % 4294967296, 0x9e3779b1) ^ Math.imul(Math.floor(key / 4294967296), 0x85ebca6b)) >>> 0
    slot = (slot ^ (slot >>> 15)) & mask
    while (keys[slot] !== -1 && keys[slot] !== key) slot = (slot + 1) & mask
    return slot
  }

  private grow(): void {
    const { keys, values } = this
    this.keys = new Float64Array(keys.length * 2).fill(-1)
    this.values = new Int32Array(keys.length * 2)
    keys.forEach((key, place) => {
      if (key < 0) return
      const slot = this.slotOf(key)
      this.keys[slot] = key
      this.values[slot] = values[place]!
    })
  }
}

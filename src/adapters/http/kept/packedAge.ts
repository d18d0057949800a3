/** Short texts of one stretch of time as bytes, one after the other, found by name: to the collector of garbage all of them are three objects. */

/** Words before an entry's texts: the hash of its name, its length in bytes, those of its texts in characters, and what its owner keeps of it. */
export const entry = { hash: 0, bytes: 1, name: 2, text: 3, own: 4 } as const
const ownWords = 4
const headerBytes = (entry.own + ownWords) * 4
/** Of the last word: bits of its own, above them the length of the mark. */
const last = entry.own + ownWords - 1
export const flag = { wanted: 1, figures: 2, wide: 4, dropped: 8 } as const
const markShift = 8
const mostMark = 255

/** Of the index a place for so many bytes: most entries are longer. */
const bytesAPlace = 128
/** So many places are looked at, then a name counts as missing: who makes up names that fall together gains nothing. */
const mostLooks = 32
/** In place of an entry that was forgotten: those behind it are found still. */
const gone = -1

/** What is written of an entry, and how. */
export interface Texts {
  /** ASCII. */
  readonly name: string
  /** Few characters, ASCII. */
  readonly mark: string
  readonly text: string
  /** All of them, where the text is ASCII too. */
  readonly all: string | undefined
  /** Bytes that the entry takes. */
  readonly size: number
}

export const isAscii = (text: string): boolean => Buffer.byteLength(text) === text.length

/** Undefined where name and mark are not what they should be. */
export const textsOf = (name: string, mark: string, text: string): Texts | undefined => {
  const all = name + mark + text
  if (mark.length > mostMark) return undefined
  if (isAscii(all)) return { name, mark, text, all, size: (headerBytes + all.length + 3) & ~3 }
  if (!isAscii(name + mark)) return undefined
  return { name, mark, text, all: undefined, size: (headerBytes + all.length + text.length + 3) & ~3 }
}

/** Like FNV-1a, two characters at a time; begun at random for each process. */
export const hashOf = (name: string): number => {
  let hash = seed ^ name.length
  let at = 0
  for (; at + 1 < name.length; at += 2) {
    hash = Math.imul(hash ^ (name.charCodeAt(at) | (name.charCodeAt(at + 1) << 16)), 0x01000193)
    hash ^= hash >>> 15
  }
  if (at < name.length) hash = Math.imul(hash ^ name.charCodeAt(at), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
  return hash ^ (hash >>> 13)
}
const seed = (Math.random() * 2 ** 32) | 0

export class PackedAge {
  /** Bytes that are filled. */
  end = 0
  readonly words: Int32Array
  private readonly memory: Buffer
  /** By turns a hash and where its entry begins, in words from 1; 0 = nothing. */
  private readonly index: Int32Array
  private readonly mask: number

  constructor(readonly room: number) {
    this.memory = Buffer.allocUnsafeSlow(room & ~3)
    this.words = new Int32Array(this.memory.buffer)
    let places = 16
    while (places * bytesAPlace < room) places *= 2
    this.index = new Int32Array(places * 2)
    this.mask = places - 1
  }

  /** Where the entry of a name begins, in words; -1 = there is none. */
  find(name: string, hash: number): number {
    const { index, mask } = this
    for (let look = 0, place = hash & mask; look < mostLooks; look++, place = (place + 1) & mask) {
      const at = index[place * 2 + 1]!
      if (at === 0) return -1
      if (at !== gone && index[place * 2] === hash && this.isOf(at - 1, name)) return at - 1
    }
    return -1
  }

  /** Where the new entry begins, in words; -1 = it has no place. An older one of its name is found no more. There must be room for its bytes. */
  add(texts: Texts, hash: number, own: readonly [number, number, number], flags: number): number {
    const { words, memory } = this
    const at = this.end / 4
    const { name, mark, text, all, size } = texts
    words[at + entry.hash] = hash
    words[at + entry.bytes] = size
    words[at + entry.name] = name.length
    words[at + entry.text] = text.length
    for (let place = 0; place < own.length; place++) words[at + entry.own + place] = own[place]!
    words[at + last] = flags | (all === undefined ? flag.wide : 0) | (mark.length << markShift)
    const begin = at * 4 + headerBytes
    if (all !== undefined) memory.write(all, begin, "latin1")
    else {
      memory.write(name + mark, begin, "latin1")
      memory.write(text, begin + name.length + mark.length, "utf16le")
    }
    if (!this.point(hash, at, this.find(name, hash))) return -1
    this.end += size
    return at
  }

  forget(name: string, hash: number): void {
    const at = this.find(name, hash)
    if (at !== -1) this.index[this.placeOf(hash, at) * 2 + 1] = gone
  }

  /** What was wanted, what is wide, what is of figures: bits of `flag`. */
  flagsOf(at: number): number {
    return this.words[at + last]!
  }

  want(at: number): void {
    this.words[at + last]! |= flag.wanted
  }

  nameOf(at: number): string {
    const begin = at * 4 + headerBytes
    return this.memory.toString("latin1", begin, begin + this.words[at + entry.name]!)
  }

  markOf(at: number): string {
    const begin = at * 4 + headerBytes + this.words[at + entry.name]!
    return this.memory.toString("latin1", begin, begin + (this.flagsOf(at) >>> markShift))
  }

  textOf(at: number): string {
    const flags = this.flagsOf(at)
    const begin = at * 4 + headerBytes + this.words[at + entry.name]! + (flags >>> markShift)
    const length = this.words[at + entry.text]!
    return (flags & flag.wide) === 0
      ? this.memory.toString("latin1", begin, begin + length)
      : this.memory.toString("utf16le", begin, begin + 2 * length)
  }

  /** Begins anew with those entries that `keeps` names, as far as they fill `most` bytes. The others are told to `drops`; each entry is told once. */
  renew(most: number, keeps: (at: number) => boolean, drops: (at: number) => void): void {
    const { words } = this
    const kept: Array<number> = []
    let to = 0
    for (let at = 0, next = 0; at * 4 < this.end; at = next) {
      const size = words[at + entry.bytes]!
      next = at + size / 4
      if ((this.flagsOf(at) & flag.dropped) !== 0) continue
      if (to * 4 + size > most || this.placeOf(words[at + entry.hash]!, at) === -1 || !keeps(at)) {
        drops(at)
        continue
      }
      words.copyWithin(to, at, next)
      words[to + last]! &= ~flag.wanted
      kept.push(to)
      to += size / 4
    }
    this.index.fill(0)
    this.end = to * 4
    for (const at of kept) {
      if (this.point(words[at + entry.hash]!, at, -1)) continue
      words[at + last]! |= flag.dropped
      drops(at)
    }
  }

  /** The index leads to an entry, in place of an older one of its name where there is one. */
  private point(hash: number, at: number, before: number): boolean {
    const { index } = this
    const place = before === -1 ? this.freePlace(hash) : this.placeOf(hash, before)
    if (place === -1) return false
    index[place * 2] = hash
    index[place * 2 + 1] = at + 1
    return true
  }

  private freePlace(hash: number): number {
    const { index, mask } = this
    for (let look = 0, place = hash & mask; look < mostLooks; look++, place = (place + 1) & mask) {
      if (index[place * 2 + 1]! <= 0) return place
    }
    return -1
  }

  /** The place that leads to an entry; -1 = none does any more. */
  private placeOf(hash: number, at: number): number {
    const { index, mask } = this
    for (let look = 0, place = hash & mask; look < mostLooks; look++, place = (place + 1) & mask) {
      if (index[place * 2 + 1] === at + 1) return place
    }
    return -1
  }

  private isOf(at: number, name: string): boolean {
    const { words, memory } = this
    if (words[at + entry.name] !== name.length) return false
    const begin = at * 4 + headerBytes
    for (let place = 0; place < name.length; place++) {
      if (memory[begin + place] !== name.charCodeAt(place)) return false
    }
    return true
  }
}

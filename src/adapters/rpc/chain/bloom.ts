/** logsBloom: which addresses and topics a block's logs may have. The bits of a value are computed once and kept. */
import type { Log } from "../../../model/block.ts"
import type { Address } from "../../../model/primitives.ts"
import type { LogsBloom } from "../../../ports/ChainSource.ts"
import { keccak256 } from "../hashing/keccak.ts"

/** The three bits of a value, 11 binary digits each: `a + b·2¹¹ + c·2²²`. */
type Bits = number

/** What is asked for: logs with one of these topics and, where given, of one of these addresses. */
export interface Wanted {
  readonly topics: ReadonlyArray<Bits>
  readonly addresses?: ReadonlyArray<Bits>
}

export const wantedOf = (topics: ReadonlyArray<string>, tokens: ReadonlyArray<Address> | undefined): Wanted => ({
  topics: topics.map(bitsOf),
  ...(tokens === undefined ? {} : { addresses: tokens.map(bitsOf) }),
})

/** Of the hex text of a header, which is not checked here: 256 bytes. */
export const bloomOf = (hex: string, wanted: Wanted): LogsBloom => new Bloom(hex, wanted)

class Bloom implements LogsBloom {
  constructor(
    private readonly hex: string,
    private readonly wanted: Wanted,
  ) {}

  get empty(): boolean {
    return this.hex === zeros
  }

  mayHold({ address, topics: [signature] }: Log): boolean {
    return holds(this.hex, bitsOf(address)) && (signature === undefined || holds(this.hex, bitsOfTopic(signature)))
  }

  suggestsLogs(): boolean {
    const { hex, wanted } = this
    if (this.empty || this.excludesLogs()) return false
    if (wanted.addresses === undefined) return true
    return 1 - (1 - fillOf(hex) ** 3) ** wanted.addresses.length < mostChance
  }

  suggestsOthers(logs: ReadonlyArray<Log>): boolean {
    const { hex, wanted } = this
    if (this.empty) return false
    const isUnexplained = (asked: ReadonlyArray<Bits>, partOf: (log: Log) => string | undefined) => {
      const open = asked.filter((bits) => holds(hex, bits))
      for (let index = 0; open.length > 0 && index < logs.length; index++) {
        const value = partOf(logs[index]!)
        const place = value === undefined ? -1 : open.indexOf(bitsOf(value))
        if (place !== -1) open.splice(place, 1)
      }
      return open.length > 0
    }
    const { topics, addresses = [] } = wanted
    let guesses = isUnexplained(topics, ({ topics: [signature] }) => signature) ? topics.length : 0
    const isFew = addresses.length <= mostGuesses
    if (isFew && isUnexplained(addresses, ({ address }) => address)) guesses += addresses.length
    return guesses > 0 && 1 - (1 - fillOf(hex) ** 3) ** guesses < leastChance
  }

  excludesLogs(): boolean {
    const { hex, wanted } = this
    const isShown = (bits: Bits) => holds(hex, bits)
    return !wanted.topics.some(isShown) || wanted.addresses?.some(isShown) === false
  }
}

/** Where some address is found by chance in so many blocks or more, finding one says nothing. */
const mostChance = 0.25

/** Of a block that holds others of their kind: in more of such blocks by chance, it is no reason to look. */
const leastChance = 0.01
/** Of more addresses one is shown by chance too often, but for blooms that are almost empty. */
const mostGuesses = 256

const zeros = `0x${"0".repeat(512)}`

/** Bits of lower-case hex bytes (an address or a topic). */
const bitsOf = (value: string): Bits => {
  const found = young.get(value)
  if (found !== undefined) return found
  const bits = old.get(value) ?? hashedBitsOf(value)
  if (young.size >= mostYoung) {
    old = young
    young = new Map()
  }
  young.set(value, bits)
  return bits
}

/** Most logs have the topic of the one before. */
const bitsOfTopic = (topic: string): Bits => {
  if (topic !== lastTopic) {
    lastTopicBits = bitsOf(topic)
    lastTopic = topic
  }
  return lastTopicBits
}
let lastTopic = ""
let lastTopicBits: Bits = 0

/** Three times 11 bits of the hash of the bytes. */
const hashedBitsOf = (value: string): Bits => {
  const hash = keccak256(Buffer.from(value.slice(2), "hex"))
  const bit = (index: number) => ((hash[index]! << 8) | hash[index + 1]!) & 2047
  return bit(0) + bit(2) * 2 ** 11 + bit(4) * 2 ** 22
}

/**
 * About 100 bytes each, of all chains together, and as many that are older: who is met again is young again. Of a chain whose
 * logs are of more tokens than these the rarest are hashed anew.
 */
const mostYoung = 50_000
let young = new Map<string, Bits>()
let old: ReadonlyMap<string, Bits> = new Map()

const holds = (hex: string, bits: Bits): boolean =>
  isSet(hex, bits & 2047) && isSet(hex, (bits >>> 11) & 2047) && isSet(hex, Math.floor(bits / 2 ** 22))

/** Bit 0 is the lowest of the last digit. */
const isSet = (hex: string, bit: number): boolean => ((nibbleAt(hex, 513 - (bit >> 2)) >> (bit & 3)) & 1) === 1

const nibbleAt = (hex: string, place: number): number => {
  const code = hex.charCodeAt(place)
  return code < 58 ? code - 48 : (code | 32) - 87
}

/** The share of bits that are set. */
const fillOf = (hex: string): number => {
  let set = 0
  for (let place = 2; place < 514; place++) set += bitsOfDigit[hex.charCodeAt(place) & 127]!
  return set / 2048
}

/** Of the character of a hex digit. */
const bitsOfDigit = Uint8Array.from({ length: 128 }, (_, code) => {
  const digit = Number.parseInt(String.fromCharCode(code), 16)
  return Number.isNaN(digit) ? 0 : digit.toString(2).replaceAll("0", "").length
})

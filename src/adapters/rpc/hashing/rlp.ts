/** RLP, the way in which Ethereum writes lists of bytes down. Pure. */

export type Rlp = Uint8Array | ReadonlyArray<Rlp>

export const encodeRlp = (value: Rlp): Uint8Array => {
  if (!(value instanceof Uint8Array)) return headed(0xc0, concat(value.map(encodeRlp)))
  return value.length === 1 && value[0]! < 0x80 ? value : headed(0x80, value)
}

export const concat = (parts: ReadonlyArray<Uint8Array>): Uint8Array => {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** `0x…`, an even number of digits. */
export const bytesOfHex = (hex: string): Uint8Array => Uint8Array.from(Buffer.from(hex.slice(2), "hex"))

/** A number without leading zeros; zero is no byte at all. */
export const bytesOfNumber = (number: number | bigint): Uint8Array => {
  if (number === 0 || number === 0n) return new Uint8Array()
  const hex = number.toString(16)
  return bytesOfHex(`0x${hex.length % 2 === 0 ? hex : `0${hex}`}`)
}

const headed = (base: number, payload: Uint8Array): Uint8Array => {
  const { length } = payload
  if (length < 56) return concat([Uint8Array.of(base + length), payload])
  const size = bytesOfNumber(length)
  return concat([Uint8Array.of(base + 55 + size.length), size, payload])
}

/** CRC-32C (Castagnoli), by which PostgreSQL checks its control file. */

const polynomial = 0x82f63b78

export const crc32c = (bytes: Uint8Array): number => {
  let crc = 0xffffffff
  for (const byte of bytes) {
    crc ^= byte
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? polynomial : 0)
  }
  return (crc ^ 0xffffffff) >>> 0
}

/** Values that view calls return: one word each. Pure. */
import type { Address } from "../../domain/model/primitives.ts"

/** The address that one word holds; undefined for other bytes. */
export const wordAddressOf = (data: string): Address | undefined =>
  data.length === 66 && data.startsWith(padding) ? `0x${data.slice(26)}` : undefined

const padding = `0x${"0".repeat(24)}`

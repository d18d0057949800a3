/** Amounts as people read them, beside the raw ones. */
import { exactDecimal } from "../../../model/numbers/exactDecimal.ts"

/** `1234500` with 6 decimals is `1.2345`; absent where either is not known. Exact. */
export const decimalText = (raw: string | undefined, decimals: number | undefined): string | undefined =>
  raw === undefined || decimals === undefined ? undefined : exactDecimal(BigInt(raw), decimals)

/** Prices and market capitalisations have 18 decimals. */
export const usdText = (raw: string | undefined): string | undefined => decimalText(raw, 18)

/** Amounts as people read them, beside the raw ones. */

/** `1234500` with 6 decimals is `1.2345`; absent where either is not known. Exact. */
export const decimalText = (raw: string | undefined, decimals: number | undefined): string | undefined => {
  if (raw === undefined || decimals === undefined) return undefined
  const digits = raw.replace("-", "").padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, "")
  return `${raw.startsWith("-") ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}

/** Prices and market capitalisations have 18 decimals. */
export const usdText = (raw: string | undefined): string | undefined => decimalText(raw, 18)

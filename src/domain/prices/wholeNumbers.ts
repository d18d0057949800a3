/** Whole numbers of any size: two compared, one as a decimal text. */

export const least = (a: bigint, b: bigint): bigint => (a < b ? a : b)

export const distance = (a: bigint, b: bigint): bigint => (a < b ? b - a : a - b)

/** `1234500` with 6 decimals is `1.2345`. Exact, with no digit that is not needed. */
export const exactDecimal = (amount: bigint, decimals: number): string => {
  const digits = String(amount < 0n ? -amount : amount).padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals)
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/u, "")
  return `${amount < 0n ? "-" : ""}${whole}${fraction === "" ? "" : `.${fraction}`}`
}

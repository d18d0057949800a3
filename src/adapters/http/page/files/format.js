/** How figures are written: amounts by their decimals, dollars, times, addresses. No amount is ever a double. */

/** Behind the point, before a power of ten says it shorter. */
const mostZeros = 24

/** A name for places that cannot keep its direction to itself: without what turns the text around it. @param {string | undefined} text */
export const plain = (text = "") => text.replace(/[\p{Cc}\p{Cf}]/gu, "").trim()

/**
 * A whole number of smallest units as a decimal text, cut to so many digits behind the point that it can be read.
 * @param {string | undefined} raw absent = not known
 * @param {number | undefined} decimals absent = not known: the raw number, which says so
 * @param {number} [places]
 * @returns {string}
 */
export const amount = (raw, decimals, places = 6) => {
  if (raw === undefined) return "–"
  if (decimals === undefined) return `${amount(raw, 0)} raw`
  const negative = raw.startsWith("-")
  const digits = (negative ? raw.slice(1) : raw).padStart(decimals + 1, "0")
  const whole = digits.slice(0, digits.length - decimals).replace(/^0+(?=\d)/, "")
  const fraction = digits.slice(digits.length - decimals)
  // A small amount keeps its first digits: 0.000000123 is not 0.
  const leading = whole === "0" ? (/^0*/.exec(fraction)?.[0].length ?? 0) : 0
  const shown = fraction.slice(0, leading + places).replace(/0+$/, "")
  if (leading > mostZeros && shown !== "") return `${negative ? "−" : ""}${shown.slice(leading)} × 10^−${shown.length}`
  return `${negative ? "−" : ""}${grouped(whole)}${shown === "" ? "" : `.${shown}`}`
}

/** @param {string} whole */
const grouped = (whole) => whole.replace(/\B(?=(\d{3})+$)/g, "\u202f")

/** @param {number | string} count */
export const count = (count) => grouped(String(count))

/**
 * Dollars from a decimal text, rounded half up: to cents, and what is less than a dollar to its first four digits. Prices below
 * one are many, and a cent is a large part of them.
 * @param {string | undefined} text not below zero
 */
export const dollars = (text) => {
  if (text === undefined) return "–"
  const [whole = "0", fraction = ""] = text.split(".")
  const leading = /^0*/.exec(fraction)?.[0].length ?? 0
  const places = whole === "0" && leading < fraction.length ? leading + 4 : 2
  const cut = BigInt(whole + fraction.slice(0, places).padEnd(places, "0"))
  const digits = String((fraction[places] ?? "0") < "5" ? cut : cut + 1n).padStart(places + 1, "0")
  return `$${grouped(digits.slice(0, -places))}.${digits.slice(-places).replace(/0+$/, "").padEnd(2, "0")}`
}

/** Dollars from the lists' 18 decimals. @param {string | undefined} raw */
export const dollarsOf18 = (raw) => (raw === undefined ? "–" : dollars(decimalOf(raw, 18)))

/** A plain decimal text, whole. @param {string} raw @param {number} decimals */
export const decimalOf = (raw, decimals) => {
  const digits = raw.padStart(decimals + 1, "0")
  const fraction = decimals === 0 ? "" : digits.slice(-decimals).replace(/0+$/, "")
  return `${digits.slice(0, digits.length - decimals)}${fraction === "" ? "" : `.${fraction}`}`
}

/** For plots alone, which are drawn in pixels. @param {string} raw @param {number | undefined} decimals */
export const approximate = (raw, decimals) => Number(raw) / 10 ** (decimals ?? 0)

/** @param {string} text */
export const short = (text) => (text.length > 14 ? `${text.slice(0, 8)}…${text.slice(-4)}` : text)

/** @param {string | number} time ISO text or milliseconds */
export const time = (time) => new Date(time).toISOString().replace("T", " ").slice(0, 19)

/** @param {number} seconds */
export const duration = (seconds) => {
  if (seconds < 90) return `${Math.round(seconds)} s`
  if (seconds < 5400) return `${Math.round(seconds / 60)} min`
  return seconds < 172_800 ? `${(seconds / 3600).toFixed(1)} h` : `${(seconds / 86_400).toFixed(1)} days`
}

/** @param {number} share 0 to 1 */
export const percent = (share) => `${(share * 100).toFixed(share >= 0.1 ? 1 : 2)} %`

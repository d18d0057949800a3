/** How a setting's text becomes its value, and what is wanted where it does not. */
import { readDatabaseUrl } from "../adapters/postgres/url/databaseUrl.ts"
import { type Address, addressOf, zeroAddress } from "../model/primitives.ts"

export type Parsed<Value> = { readonly value: Value } | { readonly wanted: string; readonly secret?: boolean }
export type Parse<Value> = (written: string) => Parsed<Value>

export const wholeNumber =
  (least: number, most: number): Parse<number> =>
  (written) => {
    const value = Number(written)
    return /^\d{1,15}$/u.test(written) && value >= least && value <= most
      ? { value }
      : { wanted: `a whole number from ${least} to ${most}` }
  }

export const text =
  (pattern: RegExp, wanted: string): Parse<string> =>
  (written) =>
    pattern.test(written) ? { value: written } : { wanted }

/** The address of a contract: no contract is at the zero address. */
export const contract: Parse<Address> = (written) => {
  const value = written.startsWith("0x") ? addressOf(written) : undefined
  if (value === undefined) return { wanted: "an address of 40 hex digits" }
  return value === zeroAddress ? { wanted: "an address other than the zero address" } : { value }
}

export const oneOf =
  <const Word extends string>(...words: ReadonlyArray<Word>): Parse<Word> =>
  (written) => {
    const value = words.find((word) => word === written.toLowerCase())
    return value === undefined ? { wanted: words.join(" or ") } : { value }
  }

export const switchValue: Parse<boolean> = (written) => {
  const word = written.toLowerCase()
  if (["on", "true", "1", "yes"].includes(word)) return { value: true }
  if (["off", "false", "0", "no"].includes(word)) return { value: false }
  return { wanted: "on or off" }
}

/** SHA-256 in hex. What was written may be a key by mistake: it is not shown. */
export const checksum: Parse<string> = (written) =>
  /^[0-9a-fA-F]{64}$/u.test(written)
    ? { value: written.toLowerCase() }
    : { wanted: "the SHA-256 of a key, 64 hex digits", secret: true }

/** Scheme, host and port of a web page, as browsers send them in `Origin`; `*` = every one. */
export const webOrigin: Parse<string> = (written) =>
  written === "*" || (URL.canParse(written) && new URL(written).origin === written.toLowerCase())
    ? { value: written.toLowerCase() }
    : { wanted: "an origin like https://app.example, or *" }

/** URLs hold secrets: what was written is not shown. */
export const url =
  (...protocols: ReadonlyArray<string>): Parse<string> =>
  (written) =>
    URL.canParse(written) && protocols.includes(new URL(written).protocol)
      ? { value: written }
      : { wanted: `a URL with ${protocols.map((protocol) => `${protocol}//`).join(" or ")}`, secret: true }

/** It holds a password: what was written is not shown. */
export const databaseUrl: Parse<string> = (written) => {
  const read = readDatabaseUrl(written)
  return "wanted" in read ? { wanted: read.wanted, secret: true } : { value: written }
}

/** A URL up to its question mark: what follows it is added to each request. */
export const bareUrl: Parse<string> = (written) => {
  const isBare = /^https?:$/u.test(URL.canParse(written) ? new URL(written).protocol : "") && !/[?#]/u.test(written)
  return isBare
    ? { value: written }
    : { wanted: "a URL with http:// or https://, up to its question mark", secret: true }
}

/** A key of another service, which is never shown. */
export const foreignKey: Parse<string> = (written) =>
  /^[!-~]{8,200}$/u.test(written)
    ? { value: written }
    : { wanted: "a key of 8 to 200 characters without blanks", secret: true }

/** A header as OpenTelemetry writes it; its value is never shown. */
export const header: Parse<readonly [name: string, value: string]> = (written) => {
  const [, name, value = ""] = /^([\w-]{1,64})=(.*)$/u.exec(written) ?? []
  const decoded = decodedOf(value)
  return name !== undefined && decoded !== undefined && /^[ -~]{0,4096}$/u.test(decoded)
    ? { value: [name, decoded] }
    : { wanted: "a header as name=value", secret: true }
}

const decodedOf = (text: string): string | undefined => {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

/** A file, or a URL: that may hold a secret, so what was written is not shown, nor taken for a file where it is half a URL, or in quotes that nobody took off. */
export const place: Parse<string> = (written) =>
  isWebUrl(written) || !/:\/\/|^["']|^https?[:;]|^\/\/|[\0?]/iu.test(written)
    ? { value: written }
    : { wanted: "a file or a URL with http:// or https://", secret: true }

/** A folder, or a URL likewise. A folder is told from a URL that lacks its scheme by how it begins. */
export const folderPlace: Parse<string> = (written) =>
  isWebUrl(written) || (/^\.{0,2}\/(?!\/)/u.test(written) && !/[\0?]/u.test(written))
    ? { value: written }
    : { wanted: "a folder that begins with /, ./ or ../, or a URL with http:// or https://", secret: true }

const isWebUrl = (written: string): boolean => /^https?:\/\//iu.test(written) && URL.canParse(written)

/** In the unit or shape that the service works with. */
export const converted =
  <Written, Value>(parse: Parse<Written>, convert: (value: Written) => Value): Parse<Value> =>
  (written) => {
    const parsed = parse(written)
    return "value" in parsed ? { value: convert(parsed.value) } : parsed
  }

/** Two ways to write the same URL have one name. What follows `#` is never sent. */
export const nameOfUrl = (written: string): string => {
  const named = new URL(written)
  named.hash = ""
  return named.href
}

/** Comma-joined values, one at least; empty ones are passed over. Of those that have one name the first stands, as it was written. */
export const list =
  <Value>(parse: Parse<Value>, nameOf: (value: Value) => unknown = (value) => value): Parse<ReadonlyArray<Value>> =>
  (written) => {
    const values = new Map<unknown, Value>()
    for (const part of written.split(",")) {
      if (part.trim() === "") continue
      const parsed = parse(part.trim())
      if (!("value" in parsed)) return { ...parsed, wanted: `a comma-joined list, each ${parsed.wanted}` }
      const name = nameOf(parsed.value)
      if (!values.has(name)) values.set(name, parsed.value)
    }
    return values.size > 0 ? { value: [...values.values()] } : { wanted: "a comma-joined list of one value or more" }
  }

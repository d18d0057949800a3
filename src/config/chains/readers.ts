/** Readers of JSON values that gather every fault instead of stopping at the first. */
import { type Address, addressOf, zeroAddress } from "../../model/primitives.ts"

/** The value, or undefined and at least one line in `problems`. `at`: the way to the value. */
export type Reader<Value> = (at: string, given: unknown, problems: Array<string>) => Value | undefined
export type ReadOf<Of> = Of extends Reader<infer Value> ? Value : never

const shown = (given: unknown): string => {
  const text = JSON.stringify(given) ?? "nothing"
  return text.length <= 60 ? text : `${text.slice(0, 60)}…`
}

const wanted = (at: string, what: string, given: unknown, problems: Array<string>): undefined => {
  problems.push(`${at}: expected ${what}, got ${shown(given)}`)
}

/** A text of 1 to 64 characters, none of them a control character. */
export const label: Reader<string> = (at, given, problems) =>
  typeof given === "string" && /^[^\p{C}]{1,64}$/u.test(given) && given.trim() === given
    ? given
    : wanted(at, "a text of 1 to 64 characters", given, problems)

/** In any letter case; read in lower case. */
export const address: Reader<Address> = (at, given, problems) =>
  (typeof given === "string" ? addressOf(given) : undefined) ??
  wanted(at, "an address of 40 hex digits", given, problems)

/** The address of a contract: no contract is at the zero address. */
export const contract: Reader<Address> = (at, given, problems) =>
  given === zeroAddress
    ? wanted(at, "an address other than the zero address", given, problems)
    : address(at, given, problems)

export const whole =
  (least: number, most: number): Reader<number> =>
  (at, given, problems) =>
    Number.isInteger(given) && (given as number) >= least && (given as number) <= most
      ? (given as number)
      : wanted(at, `a whole number from ${least} to ${most}`, given, problems)

export const choice =
  <const Word extends string>(...words: ReadonlyArray<Word>): Reader<Word> =>
  (at, given, problems) =>
    words.find((word) => word === given) ??
    wanted(at, words.map((word) => JSON.stringify(word)).join(" or "), given, problems)

const isObject = (given: unknown): given is Readonly<Record<string, unknown>> =>
  typeof given === "object" && given !== null && !Array.isArray(given)

type Fields = Readonly<Record<string, Reader<unknown>>>
type Read<Needed extends Fields, Optional extends Fields> = {
  readonly [Name in keyof Needed]: ReadOf<Needed[Name]>
} & { readonly [Name in keyof Optional]?: ReadOf<Optional[Name]> }

/** An object of these fields and no others; `source`, a note on where it is from, may stand in each. */
export const exactly =
  <const Needed extends Fields, const Optional extends Fields = Record<never, never>>(
    needed: Needed,
    optional = {} as Optional,
  ): Reader<Read<Needed, Optional>> =>
  (at, given, problems) => {
    if (!isObject(given)) return wanted(at, "an object", given, problems)
    const fields: Fields = { ...needed, ...optional }
    const before = problems.length
    const read: Record<string, unknown> = {}
    for (const name of Object.keys(needed)) {
      if (!(name in given)) problems.push(`${at}.${name}: expected a value, there is none`)
    }
    for (const [name, value] of Object.entries(given)) {
      const reader = Object.hasOwn(fields, name) ? fields[name] : undefined
      if (reader !== undefined) read[name] = reader(`${at}.${name}`, value, problems)
      else if (name === "source") label(`${at}.${name}`, value, problems)
      else problems.push(`${at}.${name}: no such word; expected one of ${Object.keys(fields).join(", ")}`)
    }
    return problems.length === before ? (read as Read<Needed, Optional>) : undefined
  }

/** An object by the address of a contract; null instead of a row takes the address out. */
export const byAddress =
  <Row>(row: Reader<Row>): Reader<Readonly<Record<Address, Row | null>>> =>
  (at, given, problems) => {
    if (!isObject(given)) return wanted(at, "an object by address", given, problems)
    const read: Record<Address, Row | null> = {}
    for (const [name, value] of Object.entries(given)) {
      const key = contract(at, name, problems)
      if (key !== undefined && Object.hasOwn(read, key)) problems.push(`${at}.${key}: expected each address once`)
      const found = value === null ? null : row(`${at}.${name}`, value, problems)
      if (key !== undefined && found !== undefined) read[key] = found
    }
    return read
  }

/** A decimal number of at most 60 digits before and 36 behind the point, as a text: numbers of JSON would lose digits. */
export const amount: Reader<string> = (at, given, problems) =>
  typeof given === "string" && /^(?:0|[1-9]\d{0,59})(?:\.\d{1,36})?$/u.test(given)
    ? given
    : wanted(at, 'a decimal number in a text, such as "21000000.5"', given, problems)

/** A URL with http: or https:; what was written is not shown, it may hold a secret. */
export const webUrl: Reader<string> = (at, given, problems) => {
  if (typeof given === "string" && /^https?:\/\//iu.test(given) && URL.canParse(given)) return given
  problems.push(`${at}: expected a URL with http:// or https://`)
}

/** The way to a value inside JSON: names and places, joined by dots. */
export const jsonPath: Reader<string> = (at, given, problems) =>
  typeof given === "string" && /^[^.\p{C}]{1,64}(?:\.[^.\p{C}]{1,64}){0,15}$/u.test(given)
    ? given
    : wanted(at, 'names joined by dots, such as "result.total"', given, problems)

/** Addresses, each once, in lower case. */
export const addresses: Reader<ReadonlyArray<Address>> = (at, given, problems) => {
  if (!Array.isArray(given) || given.length > 100) return wanted(at, "a list of at most 100 addresses", given, problems)
  const before = problems.length
  const read = given.map((item, index) => address(`${at}[${index}]`, item, problems))
  return problems.length === before ? [...new Set(read as ReadonlyArray<Address>)] : undefined
}

type Shapes = Readonly<Record<string, { readonly needed: Fields; readonly optional: Fields }>>
type KindsOf<Kinds extends Shapes> = {
  readonly [Kind in keyof Kinds]: { readonly kind: Kind } & Read<Kinds[Kind]["needed"], Kinds[Kind]["optional"]>
}[keyof Kinds]

/**
 * An object whose `kind` says which words it has; a word that several kinds have is the same in each. Of an unknown kind,
 * which is not shown, each word is read as the kinds have it.
 */
export const byKind = <const Kinds extends Shapes>(kinds: Kinds): Reader<KindsOf<Kinds>> => {
  const anyKind: Fields = Object.assign(
    {},
    ...Object.values(kinds).flatMap(({ needed, optional }) => [needed, optional]),
  )
  return (at, given, problems) => {
    const { kind, ...words } = isObject(given) ? given : {}
    const shape = typeof kind === "string" && Object.hasOwn(kinds, kind) ? kinds[kind] : undefined
    if (shape === undefined) {
      problems.push(`${at}: expected an object whose kind is ${Object.keys(kinds).join(" or ")}`)
      exactly({}, anyKind)(at, words, problems)
      return undefined
    }
    const read = exactly(shape.needed, shape.optional)(at, words, problems)
    return read === undefined ? undefined : ({ kind, ...read } as KindsOf<Kinds>)
  }
}

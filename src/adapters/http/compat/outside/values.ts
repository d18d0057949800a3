/** Values of `module=proxy` as Etherscan's clients write them → as JSON-RPC has them. Pure. */
import { Result } from "effect"
import { jsonOf } from "../../../../model/outside/json.ts"

/** The value; or what was wanted. */
export type Read = (text: string) => Result.Result<unknown, string>

const matching =
  (pattern: RegExp, wanted: string, convert: (text: string) => unknown = (text) => text.toLowerCase()): Read =>
  (text) =>
    pattern.test(text) ? Result.succeed(convert(text)) : Result.fail(wanted)

/** Nodes refuse zeros in front. */
const quantityText = (text: string): string => `0x${BigInt(text).toString(16)}`

export const address = matching(/^0x[0-9a-f]{40}$/i, "an address of 40 hex digits")
export const hash = matching(/^0x[0-9a-f]{64}$/i, "a hash of 64 hex digits")
export const flag: Read = (text) => Result.succeed(text.toLowerCase() === "true")
export const quantity = matching(/^(?:0x[0-9a-f]{1,64}|\d{1,78})$/i, "a number, in 0x-hex or decimal", quantityText)

/** `latest` and the like, or a number. */
export const tag: Read = (text) => {
  const word = text.toLowerCase()
  if (/^(?:latest|earliest|pending|safe|finalized)$/.test(word)) return Result.succeed(word)
  return Result.mapError(quantity(text), () => "a block's number in 0x-hex or decimal, latest, earliest or pending")
}

/** Bytes of a call's data, or of a transaction: nodes take no larger one. */
export const mostDataBytes = 128 * 1024

/** Not in one pattern: a repeated group fails on megabytes. */
export const bytes: Read = (text) =>
  text.length <= 2 * mostDataBytes + 2 && text.length % 2 === 0 && /^0x[0-9a-f]*$/i.test(text)
    ? Result.succeed(text.toLowerCase())
    : Result.fail(`up to ${mostDataBytes} bytes in 0x-hex`)

/** Entries of an access list that are taken, and storage keys of all of them. */
const mostEntries = 1000
const mostKeys = 10_000

/** `[{ address, storageKeys }]`, as nodes take it. Nothing that is not read here reaches the node. */
export const accessList: Read = (text) => {
  const wanted = "a JSON list of { address, storageKeys }, each with an address and hashes"
  const entries = text.length > mostDataBytes * 8 ? undefined : (jsonOf(text) ?? jsonOf(quoted(text)))
  if (!Array.isArray(entries) || entries.length > mostEntries) return Result.fail(wanted)
  const list: Array<{ readonly address: unknown; readonly storageKeys: ReadonlyArray<unknown> }> = []
  let keys = 0
  for (const entry of entries) {
    const { address: account, storageKeys: given = [] } = (entry ?? {}) as Record<string, unknown>
    if (typeof account !== "string" || !Array.isArray(given)) return Result.fail(wanted)
    const storageKeys = given.filter((key) => key !== "")
    const read = [
      address(account),
      ...storageKeys.map((key) => (typeof key === "string" ? hash(key) : Result.fail(""))),
    ]
    const values = read.flatMap((it) => (Result.isSuccess(it) ? [it.success] : []))
    keys += storageKeys.length
    if (values.length < read.length || keys > mostKeys) return Result.fail(wanted)
    list.push({ address: values[0], storageKeys: values.slice(1) })
  }
  return Result.succeed(list)
}

/** ethers writes the names without quotes, and no keys as one that is empty. */
const quoted = (text: string): string => text.replace(/([{,])(address|storageKeys):/g, '$1"$2":')

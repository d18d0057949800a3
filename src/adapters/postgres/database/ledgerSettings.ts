/** What a ledger is made with: the same text for the same settings, and the difference between two in words. */

import { createHash } from "node:crypto"
import type { Hash } from "../../../model/primitives.ts"
import type { LedgerSettings } from "../../../ports/Ledger.ts"

/** Raised when a change of the code would make other numbers from the same logs. */
export const ledgerVersion = 3

/** What a ledger was made with, as `state` has it. */
export interface StoredSettings {
  readonly genesisHash: Hash
  readonly firstBlock: number
  readonly wrappedNative: ReadonlyArray<string>
  /** null = every token. */
  readonly tokens: ReadonlyArray<string> | null
  readonly standards: ReadonlyArray<string>
  readonly swaps: boolean
  /** None where swaps are not stored: there they make no difference. */
  readonly poolManagers: ReadonlyArray<string>
  /** Absent = they are not stored, as in ledgers of before they could be. */
  readonly approvals?: boolean
}

/** The same settings give the same text, whatever their order and letter case. */
export const canonical = (settings: LedgerSettings): StoredSettings => {
  const { genesisHash, firstBlock, wrappedNative, tokens, swaps, poolManagers, approvals = false } = settings
  return {
    genesisHash,
    firstBlock,
    wrappedNative: normal(wrappedNative),
    tokens: tokens === undefined ? null : normal(tokens),
    standards: ["erc20", "erc721", "erc1155"],
    swaps,
    poolManagers: swaps ? normal(poolManagers) : [],
    ...(approvals && { approvals }),
  }
}
const normal = (addresses: ReadonlyArray<string>): ReadonlyArray<string> =>
  [...new Set(addresses.map((address) => address.toLowerCase()))].sort()

/** Of the version too: another one's is never equal. */
export const digestOf = (settings: StoredSettings): string =>
  createHash("sha256")
    .update(JSON.stringify({ ledgerVersion, ...settings }))
    .digest("hex")

type Field = keyof StoredSettings

/** Each setting that differs, by its name for people. */
const differing = ({ chainId }: LedgerSettings, stored: StoredSettings, wanted: StoredSettings) =>
  (
    [
      [`START_BLOCK_${chainId}`, "firstBlock"],
      [`WRAPPED_NATIVE_${chainId}`, "wrappedNative"],
      [`TOKENS_${chainId}`, "tokens"],
      [`SWAPS_${chainId}`, "swaps"],
      [`POOL_MANAGERS_${chainId}`, "poolManagers"],
      [`APPROVALS_${chainId}`, "approvals"],
      ["the genesis block", "genesisHash"],
      ["the stored standards", "standards"],
    ] satisfies ReadonlyArray<readonly [string, Field]>
  ).filter(([, field]) => JSON.stringify(stored[field]) !== JSON.stringify(wanted[field]))

/** Each difference in words. */
export const differences = (settings: LedgerSettings, stored: StoredSettings, wanted: StoredSettings): string =>
  differing(settings, stored, wanted)
    .map(([name, field]) => `${name} was ${shown(stored[field])}, is ${shown(wanted[field])}`)
    .join("; ")

/** How to set what was none: leaving the setting out may mean what is known of the chain. */
export const emptied = (settings: LedgerSettings, stored: StoredSettings, wanted: StoredSettings): string => {
  const names = differing(settings, stored, wanted).flatMap(([name, field]) =>
    shown(stored[field]) === "none" ? `${name}=none` : [],
  )
  return names.length === 0 ? "" : ` (${names.join(", ")})`
}

/** The way for who only wants more tokens than there are. */
export const addable = ({ chainId }: LedgerSettings, stored: StoredSettings, wanted: StoredSettings): string => {
  const without = (settings: StoredSettings) => JSON.stringify({ ...settings, tokens: null })
  if (stored.tokens === null || wanted.tokens === null || without(stored) !== without(wanted)) return ""
  const isMore = stored.tokens.every((token) => wanted.tokens!.includes(token))
  return isMore ? `, or have the tokens added, while what is stored goes on answering, by: cowry add ${chainId}` : ""
}

const shown = (value: StoredSettings[Field]): string => {
  if (value === undefined) return "off"
  if (value === null) return "absent (every token)"
  if (typeof value === "boolean") return value ? "on" : "off"
  if (typeof value !== "object") return String(value)
  if (value.length === 0) return "none"
  return value.length <= 5 ? value.join(",") : `${value.slice(0, 5).join(",")},… (${value.length} in all)`
}

/** What is told of a chain, as the registry has it: JSON that other versions may have written. */
import { Option, Schema } from "effect"
import { Address, ChainId } from "../../../model/primitives.ts"
import { SupplySettings } from "../../../model/userFiles/supplySettings.ts"
import type { ServedChain } from "../../../ports/ChainRegistry.ts"
import type { ChainSyncStatus } from "../../../ports/SyncStatus.ts"

const text = Schema.String
const optional = Schema.optionalKey
const Exchange = Schema.Struct({ dex: text, label: optional(text) })

/** `tables`: the files that the tables of its ledger were made by. */
const Served = Schema.Struct({
  chainId: ChainId,
  network: text,
  ecosystems: Schema.Array(text),
  name: optional(text),
  factories: optional(Schema.Array(Schema.Tuple([Address, Exchange]))),
  approvals: optional(Schema.Boolean),
  wrappedNative: optional(Schema.Array(Address)),
  nativePricedBy: optional(Schema.Array(Address)),
  nativeCurrency: optional(Schema.Struct({ name: text, symbol: text, decimals: Schema.Finite })),
  // Of a kind that another version knows: the chain is served all the same.
  supply: optional(Schema.Unknown),
  startBlock: Schema.Finite,
  maxLag: Schema.Finite,
  pollMs: Schema.Finite,
  tables: Schema.Array(text),
})

export interface WrittenChain {
  readonly served: ServedChain
  readonly tables: ReadonlyArray<string>
}

/** The same text for the same settings. Fields that answers do not depend on are left out. */
export const servedText = (chain: ServedChain, tables: ReadonlyArray<string>): string => {
  const { chainId, network, ecosystems, name, factories, approvals, wrappedNative, nativePricedBy, nativeCurrency } =
    chain
  const { supply, startBlock, maxLag, pollMs } = chain
  const written: typeof Served.Type = {
    chainId,
    network,
    ecosystems,
    ...(name !== undefined && { name }),
    ...(factories && {
      factories: [...factories]
        .sort(([a], [b]) => (a < b ? -1 : 1))
        .map(([address, { dex, label }]) => [address, { dex, ...(label !== undefined && { label }) }] as const),
    }),
    ...(approvals !== undefined && { approvals }),
    ...(wrappedNative && { wrappedNative: [...wrappedNative] }),
    ...(nativePricedBy && { nativePricedBy: [...nativePricedBy] }),
    ...(nativeCurrency && {
      nativeCurrency: {
        name: nativeCurrency.name,
        symbol: nativeCurrency.symbol,
        decimals: nativeCurrency.decimals,
      },
    }),
    ...(supply && { supply: toldOf(supply) }),
    startBlock,
    maxLag,
    pollMs,
    tables,
  }
  return JSON.stringify(written)
}

/** A URL may hold a key, and the registry is no place for secrets. */
const toldOf = (supply: NonNullable<ServedChain["supply"]>) => (supply.kind === "http" ? untold : supply)
const untold = { kind: "untold" } as const

const decodeSupply = Schema.decodeUnknownOption(
  Schema.Union([SupplySettings, Schema.Struct({ kind: Schema.Literal("untold") })]),
)
const decodeServed = Schema.decodeUnknownOption(Schema.fromJsonString(Served))

/** undefined where it is no such text. */
export const readServed = (written: string): WrittenChain | undefined => {
  const read = Option.getOrUndefined(decodeServed(written))
  if (read === undefined) return undefined
  const { tables, factories, supply: source, ...chain } = read
  const supply = Option.getOrUndefined(decodeSupply(source))
  const served = { ...chain, ...(factories && { factories: new Map(factories) }), ...(supply && { supply }) }
  return { served, tables }
}

/** `heardAt` is of the clock of one process: it becomes how long ago that is. */
export const statusText = ({ heardAt, ...status }: ChainSyncStatus, now: number): string =>
  JSON.stringify({ ...status, ...(heardAt !== undefined && { silentMs: Math.max(0, Math.round(now - heardAt)) }) })

interface ToldStatus {
  readonly status: ChainSyncStatus
  /** Milliseconds that its node had been silent for when it was told. */
  readonly silentMs?: number
}

const phases: ReadonlyArray<unknown> = ["waiting", "backfill", "copying", "deriving", "indexing", "live", "stopped"]

/** undefined where it is of another shape than this version's. */
export const readStatus = (written: string | undefined): ToldStatus | undefined => {
  if (written === undefined) return undefined
  const { silentMs, ...status } = JSON.parse(written) as ChainSyncStatus & { readonly silentMs?: number }
  if (!phases.includes(status.phase) || typeof status.firstBlock !== "number") return undefined
  return { status, ...(silentMs !== undefined && { silentMs }) }
}

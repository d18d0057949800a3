/** The WalletStore port in memory. */
import { Effect, Layer } from "effect"
import { suspectAt } from "../../domain/audit/doubts.ts"
import { usdOf } from "../../domain/prices/worth.ts"
import type { Address } from "../../model/primitives.ts"
import { compareHeld } from "../../model/wallet/heldOrder.ts"
import type { HeldKey, StoredHolding } from "../../model/wallet/holdings.ts"
import { type HeldBy, mostDoubtful, WalletStore } from "../../ports/WalletStore.ts"
import { doubtOf } from "./audits.ts"
import { pinOf } from "./pin.ts"
import { pageOf } from "./rows.ts"
import {
  type MemoryChain,
  MemoryChains,
  type MemoryToken,
  snapshotOf,
  storedChains,
  tokenOf,
  type Version,
} from "./state.ts"
import { priceAt } from "./times.ts"

export const layer = Layer.effect(
  WalletStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const find = (query: HeldBy) => {
      const stored = storedChains(chains, query.chains)
      return { stored, found: stored.map((chain) => ({ chain, ...heldIn(chain, query) })) }
    }
    return WalletStore.of({
      list: (query) =>
        Effect.sync(() => {
          const { page, sort, at, count } = query
          const { stored, found } = find(query)
          const all = found.flatMap(({ rows }) => rows)
          const keyOf = (holding: StoredHolding): HeldKey => ({
            value: sort.field === "valueUsd" ? (holding.value ?? null) : "0",
            chainId: holding.chainId,
            address: holding.address,
            standard: holding.standard,
            tokenAddress: holding.tokenAddress,
            tokenId: holding.tokenId ?? null,
          })
          return snapshotOf(stored, {
            ...pageOf(all, keyOf, compareHeld(sort), page),
            doubtful: found.flatMap(({ doubtful }) => doubtful),
            pins: pinsOf(stored, at),
            ...(count ? { count: { count: all.length, countType: "exact" as const } } : {}),
          })
        }),
      total: (query) =>
        Effect.sync(() => {
          const { stored, found } = find(query)
          const totals = found.map(({ chain, rows }) => {
            const values = rows.flatMap(({ value }) => (value === undefined ? [] : [BigInt(value)]))
            const value = String(values.reduce((sum, it) => sum + it, 0n))
            const suspects = rows.filter(({ suspect }) => suspect === true).map(({ auditState }) => auditState)
            const sums = { rows: rows.length, priced: values.length, value }
            const states = [...new Set(suspects)]
            return { chainId: chain.settings.chainId, ...sums, suspect: suspects.length, states }
          })
          return snapshotOf(stored, {
            totals,
            doubtful: found.flatMap(({ doubtful }) => doubtful),
            pins: pinsOf(stored, query.at),
          })
        }),
      nativeFacts: (chainId, wrapped, at) =>
        Effect.sync(() => {
          const [chain] = storedChains(chains, [chainId])
          const price = wrapped.map((address) => priceAt(tokenOf(chain, "erc20", address), at?.hour)).find((it) => it)
          const hash = chain?.headers.find(({ number }) => number === at?.blockNumber)?.hash
          return { ...(price && { price: String(price) }), ...(hash && { hash }) }
        }),
    })
  }),
)

const pinsOf = (stored: ReadonlyArray<MemoryChain>, at: HeldBy["at"]) =>
  stored.flatMap((chain) => {
    const { chainId } = chain.settings
    const asked = at?.find((it) => it.chainId === chainId)
    const walk = asked?.rollbacks === undefined ? {} : { rollbacks: asked.rollbacks }
    const { pin } = pinOf(chain, asked?.blockNumber, { limit: 1, ...walk })
    return pin === undefined ? [] : [{ chainId, ...pin }]
  })

/** Of one chain: the rows that are in the list, and those in doubt. */
const heldIn = (chain: MemoryChain, { holders, at, onlyTrusted, tokens, minValue, ...asked }: HeldBy) => {
  const { chainId } = chain.settings
  const { blockNumber: block, hour } = at?.find((it) => it.chainId === chainId) ?? {}
  const rows = [...chain.tokens.values()].flatMap((token) => {
    const suspect = suspectAt(doubtOf(chain, token), block) !== undefined
    const doubt = block === undefined && suspect
    return holders.flatMap((holder) =>
      unitsOf(token, holder, { ...asked, doubt }, block ?? Infinity).map(({ version, ...unit }) => {
        const { standard, address, description: { decimals, ...words } = {}, audit } = token
        const note = chain.notes.get(address)
        const logoUri = note?.texts.image
        const price = standard === "erc20" ? priceAt(token, hour) : undefined
        const isErc20 = standard === "erc20" && decimals !== undefined
        const drifted = block !== undefined && audit?.differed !== undefined && block <= audit.differed.to
        const other = standard === "erc20" ? "erc721" : "erc20"
        const isOfAmounts = audit?.difference?.counts === "amounts" && !("tokenId" in unit)
        const holding: StoredHolding = {
          chainId,
          address: holder,
          standard,
          tokenAddress: address,
          ...unit,
          ...words,
          ...(isErc20 ? { decimals } : {}),
          ...(logoUri === undefined ? {} : { logoUri }),
          balance: String(version.balance),
          ...(price === undefined ? {} : { price: String(price) }),
          ...(price !== undefined && isErc20 ? { value: String(usdOf(version.balance, decimals, price)) } : {}),
          trusted: note?.trusted ?? false,
          changedBlock: version.blockNumber,
          auditState: drifted && audit.state !== "rebasing" ? "drift" : (audit?.state ?? "unverified"),
          ...(suspect ? { suspect: true as const } : {}),
          ...(doubt && standard !== "erc1155" && (tokenOf(chain, other, address) || isOfAmounts)
            ? { mixed: true as const }
            : {}),
        }
        return { holding, doubt }
      }),
    )
  })
  const wanted = rows.filter(
    ({ holding }) => (!onlyTrusted || holding.trusted) && (tokens?.includes(holding.tokenAddress!) ?? true),
  )
  const isWorth = ({ value }: StoredHolding) =>
    minValue === undefined || (value !== undefined && BigInt(value) >= minValue)
  const doubtful = wanted.filter(({ doubt }) => doubt).map(({ holding }) => holding)
  const isApart = doubtful.length <= mostDoubtful
  return {
    rows: wanted
      .filter(({ doubt, holding }) => BigInt(holding.balance) > 0n && !(doubt && isApart) && isWorth(holding))
      .map(({ holding }) => holding),
    doubtful: isApart ? doubtful.filter((it) => minValue === undefined || it.price !== undefined) : [],
  }
}

/** What a holder has of a token: one amount, or one a unit. Of one in doubt also where the ledger says that it is nothing. */
const unitsOf = (
  token: MemoryToken,
  holder: Address,
  { standards, byId, doubt }: Pick<HeldBy, "standards" | "byId"> & { readonly doubt: boolean },
  block: number,
): ReadonlyArray<{ readonly tokenId?: string; readonly version: Version }> => {
  const newest = (versions: ReadonlyArray<Version> | undefined) => {
    const version = versions?.findLast(({ blockNumber }) => blockNumber <= block)
    return version !== undefined && (doubt || version.balance > 0n) ? version : undefined
  }
  if (!standards.includes(token.standard)) return []
  if (token.standard === "erc1155")
    return [...token.units].flatMap(([id, balances]) => {
      const version = newest(balances.get(holder))
      return version === undefined ? [] : [{ tokenId: String(id), version }]
    })
  if (token.standard === "erc721" && byId)
    return [...token.owners].flatMap(([id, versions]) => {
      const last = versions.findLast(({ blockNumber }) => blockNumber <= block)
      if (last?.owner !== holder) return []
      return [{ tokenId: String(id), version: { blockNumber: last.blockNumber, balance: 1n } }]
    })
  const version = newest(token.balances.get(holder))
  return version === undefined ? [] : [{ version }]
}

/** What addresses hold of all standards, over many chains, with what it is worth: lists and sums. */
import { Effect } from "effect"
import { type PageRequest, toListPage } from "../../model/page.ts"
import type { Address } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import { compareHeld, type HeldSort } from "../../model/wallet/heldOrder.ts"
import type {
  ChainPin,
  HeldKey,
  HeldStandard,
  Portfolio,
  StoredHolding,
  WalletToken,
} from "../../model/wallet/holdings.ts"
import { BlockTimes } from "../../ports/BlockTimes.ts"
import { type HeldAt, type HeldBy, WalletStore } from "../../ports/WalletStore.ts"
import type { BalanceSource } from "../audit/askNode.ts"
import { worstByChain } from "../audit/doubts.ts"
import { usdText } from "../prices/worth.ts"
import { beginAnew } from "../reads/beginAnew.ts"
import { type AtTime, checkBlocks, findBlocks, type MeantBlock } from "./atBlocks.ts"
import { keyOf, nodeRows, sourceOf, suspectsOf, type ValuedRow, worthAtLeast } from "./nodeRows.ts"
import { portfolioOf } from "./portfolio.ts"

/** Whose holdings, which of them, and as of when. */
export interface WalletQuery extends Omit<AtTime, "pins">, Omit<HeldBy, "standards" | "at"> {
  readonly standards: ReadonlyArray<HeldStandard>
}

export interface WalletListQuery extends WalletQuery {
  readonly sort: HeldSort
  readonly page: PageRequest<HeldKey>
  readonly count: boolean
}

/** The store's part of it. */
const heldBy = (
  { chains, holders, standards, onlyTrusted, tokens, minValue, byId }: WalletQuery,
  at: HeldBy["at"],
): HeldBy => ({
  chains,
  holders,
  standards: standards.filter((it): it is Standard => it !== "native"),
  onlyTrusted,
  tokens,
  minValue,
  byId,
  ...(at === undefined ? {} : { at }),
})

/**
 * Balances above zero. Of now: the native currency, and tokens in doubt, have what the node says at the as-of block; rows
 * that it does not tell say so (`source`), and `source` of the page is whether it told all. As of a block what events told.
 * `suspects`: the worst state of each chain's rows in doubt.
 */
export const listWallet = (query: WalletListQuery) =>
  (query.page.after ?? query.page.before) === undefined ? beginAnew(readWallet(query)) : readWallet(query)

const readWallet = Effect.fnUntraced(function* (query: WalletListQuery) {
  const { chains, page, sort, count, minValue } = query
  const store = yield* WalletStore
  const { at, leftOut } = yield* findBlocks({ ...query, pins: (page.after ?? page.before)?.pins })
  const there = at === undefined ? query : { ...query, chains: at.map(({ chainId }) => chainId) }
  const { asOf, value } = yield* store.list({ ...heldBy(there, at), sort, page, count })
  yield* checkBlocks(chains, at, asOf, value.pins)
  const told = yield* nodeRows(query, asOf, at, value.doubtful)
  const rows = told.filter(worthAtLeast(minValue))
  const pins = at?.flatMap(({ chainId, blockNumber, hour }): ReadonlyArray<ChainPin> => {
    const pin = value.pins.find((it) => it.chainId === chainId)
    // Of a chain without a ledger there is no hour, and nothing to go on with.
    return pin === undefined || hour === null ? [] : [{ chainId, blockNumber, hour, rollbacks: pin.rollbacks }]
  })
  const compare = compareHeld(sort)
  const items = [...value.items.map(shown), ...rows]
    .map((item) => ({ item, key: keyOf(sort, item) }))
    .filter(({ key }) => page.after === undefined || compare(key, page.after) > 0)
    .filter(({ key }) => page.before === undefined || compare(key, page.before) < 0)
    .sort((a, b) => compare(a.key, b.key))
  const here = page.before === undefined ? items.slice(0, page.limit) : items.slice(-page.limit)
  const listed = {
    items: here.map(({ item }) => item.row),
    keys: here.map(({ key }) => ({ ...key, ...(pins === undefined ? {} : { pins }) })),
    hasMore: value.hasMore || items.length > here.length,
    ...(value.count === undefined ? {} : { count: { ...value.count, count: value.count.count + rows.length } }),
  }
  const source: BalanceSource | undefined = sourceOf(told)
  return {
    ...toListPage(page, { asOf, value: listed }),
    ...(source === undefined ? {} : { source }),
    ...ofNode(query, at, value.doubtful),
    ...meantBlocks(query, at),
    leftOut,
    suspects: worstByChain(suspectsOf(here.map(({ item }) => item))),
  }
})

/** What it all is worth: sums of the rows that `listWallet` has with the same query, to the last digit. */
export const findPortfolio = (holder: Address, query: Omit<WalletQuery, "holders">) =>
  beginAnew(readPortfolio(holder, query))

const readPortfolio = Effect.fnUntraced(function* (holder: Address, query: Omit<WalletQuery, "holders">) {
  const { chains, minValue } = query
  const store = yield* WalletStore
  const asked = { ...query, holders: [holder] }
  const { at, leftOut } = yield* findBlocks(query)
  const there = at === undefined ? asked : { ...asked, chains: at.map(({ chainId }) => chainId) }
  const { asOf, value } = yield* store.total(heldBy(there, at))
  yield* checkBlocks(chains, at, asOf, value.pins)
  const told = yield* nodeRows(asked, asOf, at, value.doubtful)
  const rows = told.filter(worthAtLeast(minValue))
  const past = yield* Effect.forEach(
    (at ?? []).map((block) => ({ ...block, ...value.pins.find(({ chainId }) => chainId === block.chainId) })),
    blockFacts,
    { concurrency: 4 },
  )
  const portfolio: Portfolio = portfolioOf(holder, { asOf, at, totals: value.totals, rows, told, past })
  const source = sourceOf(told)
  const counted = value.totals.flatMap(({ chainId, states }) => states.map((state) => ({ chainId, state })))
  return {
    asOf,
    value: portfolio,
    ...(source === undefined ? {} : { source }),
    ...ofNode(query, at, value.doubtful),
    ...meantBlocks(query, at),
    leftOut,
    suspects: worstByChain([...counted, ...suspectsOf(rows)]),
  }
})

/** Whether a node was asked: also where no row is left of what it said. */
const ofNode = (
  { standards }: Pick<WalletQuery, "standards">,
  at: ReadonlyArray<MeantBlock> | undefined,
  doubtful: ReadonlyArray<StoredHolding>,
): { readonly ofNode?: true } => {
  const isMeant = at?.some((it) => it.ofNode === true) === true
  return isMeant || standards.includes("native") || doubtful.length > 0 ? { ofNode: true } : {}
}

/** Where a time, a hash or a finality was asked: which block of each chain it came to mean. */
const meantBlocks = ({ selector }: Pick<WalletQuery, "selector">, at: ReadonlyArray<HeldAt> | undefined) =>
  selector === undefined || at === undefined ? {} : { at }

/** What the ledger knows of a block: its time, and its hash where a reorg may still replace it. */
const blockFacts = Effect.fnUntraced(function* ({ chainId, blockNumber, rollbacks }: HeldAt) {
  const { value } = yield* (yield* BlockTimes).when(chainId, blockNumber)
  // Since the figures were read a reorg may have put another block there.
  if (value.rollbacks !== rollbacks) return { chainId }
  const { before, hash } = value
  return {
    chainId,
    ...(before?.block === blockNumber ? { time: before.time } : {}),
    ...(hash === undefined ? {} : { hash }),
  }
})

/** A row as the ledger has it. */
const shown = (holding: StoredHolding): ValuedRow => ({
  row: rowOf(holding),
  value: holding.value ?? null,
  ...(holding.suspect === true ? { suspect: true } : {}),
})

export const rowOf = ({ value, trusted, changedBlock, mixed: _, suspect: __, ...row }: StoredHolding): WalletToken => ({
  ...row,
  ...(value === undefined ? {} : { valueUsd: usdText(BigInt(value)) }),
  blueCheckmark: trusted,
  changedBlockNumber: changedBlock,
})

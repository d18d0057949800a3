/** Rows of what is held whose figures are the node's word: the native currency, and tokens whose ledger is in doubt. */
import { Effect } from "effect"
import type { ChainState } from "../../model/audit.ts"
import type { AsOf } from "../../model/block.ts"
import type { Usd } from "../../model/price.ts"
import type { BigIntString, ChainId } from "../../model/primitives.ts"
import type { HeldSort } from "../../model/wallet/heldOrder.ts"
import type { HeldKey, HeldStandard, StoredHolding, WalletToken } from "../../model/wallet/holdings.ts"
import { NativeBalances } from "../../ports/NativeBalances.ts"
import { type Chain, Networks, nativePricedBy } from "../../ports/Networks.ts"
import type { TokenQuestion } from "../../ports/TokenViews.ts"
import { type HeldAt, type HeldBy, WalletStore } from "../../ports/WalletStore.ts"
import { askNode, type BalanceSource } from "../audit/askNode.ts"
import { usdOf, usdText } from "../prices/worth.ts"
import { briefNodeTimeout } from "../turns/nodeWait.ts"

/** A row, and its value with 18 decimals; null = it has none. */
export interface ValuedRow {
  readonly row: WalletToken
  readonly value: BigIntString | null
  /** The ledger's figure of it is in doubt. The row may have the contract's. */
  readonly suspect?: true
}

type At = HeldBy["at"]

export const nodeRows = Effect.fnUntraced(function* (
  { holders, standards }: Pick<HeldBy, "holders"> & { readonly standards: ReadonlyArray<HeldStandard> },
  asOf: ReadonlyArray<AsOf>,
  at: At,
  doubtful: ReadonlyArray<StoredHolding>,
) {
  const { chains } = yield* Networks
  const rows = yield* Effect.forEach(
    asOf,
    Effect.fnUntraced(function* (head) {
      const mine = doubtful.filter(({ chainId }) => chainId === head.chainId)
      const chain = chains.find(({ chainId }) => chainId === head.chainId)
      const then = at?.find(({ chainId }) => chainId === head.chainId)
      const asked = standards.includes("native") && chain !== undefined && (at === undefined || then !== undefined)
      const [tokens, native] = yield* Effect.all(
        [askTokens(head, mine), asked ? askNative(chain, head, then, holders) : Effect.succeed([])],
        { concurrency: 2 },
      )
      return [...tokens, ...native]
    }),
    { concurrency: 8 },
  )
  return rows.flat()
})

/** Those that hold nothing by the contract's word are none. */
const askTokens = Effect.fnUntraced(function* (head: AsOf, doubtful: ReadonlyArray<StoredHolding>) {
  const asked = doubtful.filter(({ mixed }) => mixed !== true)
  const answers = asked.length === 0 ? undefined : yield* askNode({ unaskable: false }, [head], asked.map(questionOf))
  return doubtful.flatMap((holding): ReadonlyArray<ValuedRow> => {
    const told = heldOf(holding, answers?.[asked.indexOf(holding)])
    // By the contract's word, or by the ledger's where that is not had.
    if ((told ?? BigInt(holding.balance)) <= 0n) return []
    const { price, decimals, trusted, changedBlock, mixed: _, value: __, suspect: ___, ...row } = holding
    const balance = told ?? BigInt(holding.balance)
    const value = price === undefined || decimals === undefined ? null : usdOf(balance, decimals, BigInt(price))
    const shown = valued(value, {
      ...row,
      ...(decimals === undefined ? {} : { decimals }),
      ...(price === undefined ? {} : { price }),
      balance: String(balance),
      blueCheckmark: trusted,
      changedBlockNumber: changedBlock,
      source: told === undefined ? "ledger" : "node",
    })
    return [{ ...shown, suspect: true }]
  })
})

const questionOf = ({ standard, tokenAddress: token, tokenId, address: holder }: StoredHolding): TokenQuestion => {
  if (tokenId === undefined) return { of: "balance", token, holder }
  return standard === "erc721" ? { of: "owner", token, tokenId } : { of: "unit", token, holder, tokenId }
}

/** What is held by the contract's answer: of an id of an ERC-721 that is who owns it. */
const heldOf = ({ standard, tokenId, address }: StoredHolding, answer: bigint | undefined): bigint | undefined => {
  if (answer === undefined || standard !== "erc721" || tokenId === undefined) return answer
  return answer === BigInt(address) ? 1n : 0n
}

/** A row each that holds something, and each that the node does not tell of. */
const askNative = Effect.fnUntraced(function* (
  chain: Chain,
  head: AsOf,
  then: HeldAt | undefined,
  holders: HeldBy["holders"],
) {
  const { chainId, nativeCurrency } = chain
  const store = yield* WalletStore
  const block = then?.blockNumber ?? head.blockNumber
  const isNewest = block === head.blockNumber
  const facts = yield* store.nativeFacts(chainId, nativePricedBy(chain), then)
  const hash = isNewest ? head.hash : facts.hash
  const told = yield* (yield* NativeBalances).of(chainId, holders, block, hash).pipe(
    Effect.timeout(briefNodeTimeout),
    Effect.catchCause(() => Effect.succeed(undefined)),
  )
  const { price } = facts
  const decimals = nativeCurrency?.decimals
  return holders.flatMap((address, index): ReadonlyArray<ValuedRow> => {
    const balance = told?.[index]
    if (balance === 0n) return []
    const isValued = balance !== undefined && price !== undefined && decimals !== undefined
    return [
      valued(isValued ? usdOf(balance, decimals, BigInt(price)) : null, {
        chainId,
        address,
        standard: "native",
        ...(nativeCurrency === undefined ? {} : nativeCurrency),
        ...(balance === undefined ? {} : { balance: String(balance) }),
        ...(price === undefined ? {} : { price }),
        blueCheckmark: true,
        source: balance === undefined ? "ledger" : "node",
      }),
    ]
  })
})

const valued = (value: Usd | null, row: WalletToken): ValuedRow => ({
  row: value === null ? row : { ...row, valueUsd: usdText(value) },
  value: value === null ? null : String(value),
})

/** The states of those of which the ledger's figure is in doubt. */
export const suspectsOf = (rows: ReadonlyArray<ValuedRow>): ReadonlyArray<ChainState> =>
  rows.flatMap(({ row: { chainId, auditState: state }, suspect }) =>
    suspect === true && state !== undefined ? [{ chainId, state }] : [],
  )

export const keyOf = ({ field }: HeldSort, { row, value }: ValuedRow): HeldKey => ({
  value: field === "valueUsd" ? value : "0",
  chainId: row.chainId,
  address: row.address,
  standard: row.standard,
  tokenAddress: row.tokenAddress ?? null,
  tokenId: row.tokenId ?? null,
})

/** What the node does not tell stays where it has a price, as it may be worth so much. */
export const worthAtLeast =
  (least: Usd | undefined) =>
  ({ row, value }: ValuedRow): boolean =>
    least === undefined ||
    (value === null ? row.balance === undefined && row.price !== undefined : BigInt(value) >= least)

/** Whether the node told all of those rows; undefined = there are none. */
export const sourceOf = (rows: ReadonlyArray<ValuedRow>, chainId?: ChainId): BalanceSource | undefined => {
  const mine = chainId === undefined ? rows : rows.filter(({ row }) => row.chainId === chainId)
  if (mine.length === 0) return undefined
  return mine.every(({ row }) => row.source === "node") ? "node" : "ledger"
}

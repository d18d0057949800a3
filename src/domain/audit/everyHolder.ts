/** Compares all holders of a token with its contract, page by page, each page at the block that it was read at. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { Erc1155HolderKey, HolderKey } from "../../model/holder.ts"
import type { PageRequest, Snapshot } from "../../model/page.ts"
import type { ChainId } from "../../model/primitives.ts"
import { AuditStore, type LedgerFigure } from "../../ports/AuditStore.ts"
import { HolderStore } from "../../ports/HolderStore.ts"
import type { BornToken } from "../../ports/Ledger.ts"
import { TokenViews } from "../../ports/TokenViews.ts"
import type { Audited } from "./compare.ts"
import { type Answered, answeredOf, isEqual } from "./judging/figures.ts"
import { judge } from "./judging/judge.ts"

const pageSize = 500
/** Figures that differ are all counted; of so many more is kept. */
const mostKept = 100

export interface EveryHolder extends Audited {
  /** Figures that differ. */
  readonly differing: number
  /** Figures of which the contract said nothing. */
  readonly unanswered: number
}

/**
 * Undefined = the ledger holds nothing of the chain. Where something differs the state is recorded. Holders whose balance
 * passes a page's end meanwhile may be met twice or not at all; those that nothing happens to are met once.
 */
export const compareEveryHolder = Effect.fnUntraced(function* (chainId: ChainId, token: BornToken) {
  const views = yield* TokenViews
  const wrong: Array<Answered> = []
  let [compared, differing, unanswered] = [0, 0, 0]
  let at: AsOf | undefined
  let after: HolderKey | Erc1155HolderKey | undefined
  const compare = Effect.fnUntraced(function* (figures: ReadonlyArray<LedgerFigure>, at: AsOf) {
    const answered = answeredOf(figures, yield* views.ask(chainId, figures, at))
    const off = answered.filter((figure) => !isEqual(figure))
    compared += answered.length
    unanswered += figures.length - answered.length
    differing += off.length
    wrong.push(...off.slice(0, mostKept - wrong.length))
  })
  do {
    const { asOf, value } = yield* readHolders(chainId, token, after)
    at = asOf[0]
    if (at === undefined) return undefined
    yield* compare(value.figures, at)
    after = value.next
  } while (after !== undefined)
  // Who has less than nothing is in no list. The record is the one that a comparison of the same run left.
  const { asOf, sample } = yield* readBelowZero(chainId, token)
  if (asOf === undefined || sample === undefined) return undefined
  at = asOf
  yield* compare(
    sample.figures.filter(({ ledger }) => ledger < 0n),
    at,
  )
  const answers = wrong.map(({ node }) => node)
  const { record } = judge({ ...sample, mixed: false, figures: wrong }, answers, at, false)
  const audited: EveryHolder = { token, record: { ...record, compared }, differing, unanswered }
  if (differing > 0) yield* (yield* AuditStore).record(chainId, [audited])
  return audited
})

const readBelowZero = Effect.fnUntraced(function* (chainId: ChainId, { address, standard }: BornToken) {
  const breadth = { top: 0, recent: 0, places: [], belowZero: pageSize }
  const { asOf, value } = yield* (yield* AuditStore).sample(chainId, { tokens: [address] }, breadth)
  return { asOf: asOf[0], sample: value.find(({ token }) => token.standard === standard) }
})

interface Page {
  readonly figures: ReadonlyArray<LedgerFigure>
  readonly next: HolderKey | Erc1155HolderKey | undefined
}

const readHolders = Effect.fnUntraced(function* (
  chainId: ChainId,
  { standard, address: token }: BornToken,
  after: HolderKey | Erc1155HolderKey | undefined,
) {
  const store = yield* HolderStore
  const pageAfter = <Key>(key: Key | undefined): PageRequest<Key> =>
    key === undefined ? { limit: pageSize } : { limit: pageSize, after: key }
  if (standard === "erc1155") {
    const page = pageAfter(after as Erc1155HolderKey | undefined)
    const { asOf, value } = yield* store.listErc1155({ chainId, token, page, count: false })
    const figures = value.items.map(
      ({ address: holder, tokenId, balance }): LedgerFigure => ({
        of: "unit",
        token,
        holder,
        tokenId,
        ledger: BigInt(balance),
        touched: -1,
      }),
    )
    return { asOf, value: { figures, next: value.hasMore ? value.keys.at(-1) : undefined } } as Snapshot<Page>
  }
  const { asOf, value } = yield* store.list(standard, { chainId, token, page: pageAfter(after), count: false })
  const figures = value.items.map(
    ({ address: holder, balance }): LedgerFigure => ({
      of: "balance",
      token,
      holder,
      ledger: BigInt(balance),
      touched: -1,
    }),
  )
  return { asOf, value: { figures, next: value.hasMore ? value.keys.at(-1) : undefined } } as Snapshot<Page>
})

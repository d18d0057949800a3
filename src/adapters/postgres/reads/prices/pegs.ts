/** What stablecoins are worth where no hour says it: a point of hour 0 for all before the first, and the end of the last. */
import { oneDollar } from "../../../../model/price.ts"
import type { Address } from "../../../../model/primitives.ts"
import { numberArray } from "../../database/arrays.ts"
import { type ChainSql, forEver } from "../../database/chainSql.ts"
import type { Transaction } from "../../database/Database.ts"
import { idsOf, moveRevision, nextHourOf, putPoints } from "./writePrices.ts"

/** The newest point of an hour that a token has; null = none. */
interface Newest {
  readonly id: number
  readonly hour: number | null
  readonly until: number | null
}

/** Moves the revision where it changed something. */
export const recordPegs = async (
  transaction: Transaction,
  chain: ChainSql,
  stablecoins: ReadonlyArray<Address>,
  pegged: ReadonlyArray<Address>,
): Promise<void> => {
  const { tx, run } = transaction
  const { pricePoint } = chain
  const ids = await idsOf(transaction, chain.token, stablecoins)
  const peggedIds = new Set(pegged.flatMap((address) => ids.get(address) ?? []))
  const marked = await run(tx<Array<{ id: number }>>`select p.token_id as id from ${pricePoint} p where p.hour = 0`)
  const coins = [...new Set([...ids.values(), ...marked.map(({ id }) => id)])]
  if (coins.length === 0) return
  const changesAt = async (next: number) => {
    const newest = await run(newestOf(tx, chain, coins))
    const [gap] = await run(tx<[{ top: number | null }]>`select max(g.to_hour) as top from ${chain.priceGap} g`)
    const ends = newest.flatMap(({ id, hour, until }) => {
      if (hour === null || until === null) return []
      // Hours that are left for later say their own.
      const from = Math.max(hour + 1, until + 1, gap?.top ?? 0)
      if (peggedIds.has(id)) return until < next ? [{ id, hour: from, untilHour: forEver, price: oneDollar }] : []
      return until === forEver && hour < next ? [{ id, hour, untilHour: next - 1, price: oneDollar }] : []
    })
    // What was told of hours that are not priced yet goes with the dollar.
    const unpriced = newest.filter(({ id, hour }) => hour !== null && hour >= next && !peggedIds.has(id))
    return { ends, unpriced: unpriced.map(({ id }) => id) }
  }
  const isMarked = new Set(marked.map(({ id }) => id))
  const isSame = isMarked.size === peggedIds.size && [...peggedIds].every((id) => isMarked.has(id))
  const [progress] = await run(tx<Array<{ next_hour: number }>>`select g.next_hour from ${chain.priceProgress} g`)
  const seen = await changesAt(progress?.next_hour ?? 0)
  if (isSame && seen.ends.length + seen.unpriced.length === 0) return
  const next = (await nextHourOf(transaction, chain)) ?? 0
  const { ends, unpriced } = await changesAt(next)
  const beginnings = [...peggedIds].map((id) => ({ id, hour: 0, untilHour: forEver, price: oneDollar }))
  // Two statements: each goes by an index of its own.
  await run(tx`
    delete from ${pricePoint} p where p.hour = 0 and p.token_id <> all(${numberArray(peggedIds)}::text::int4[])`)
  if (unpriced.length > 0)
    await run(tx`
      delete from ${pricePoint} p
      where p.hour >= ${next}::int4 and p.token_id = any(${numberArray(unpriced)}::text::int4[])`)
  const put = await putPoints(transaction, chain, [...beginnings, ...ends])
  if (!isSame || unpriced.length > 0 || put > 0) await moveRevision(transaction, chain)
}

const newestOf = (tx: Transaction["tx"], { pricePoint }: ChainSql, ids: ReadonlyArray<number>) =>
  tx<Array<Newest>>`
    select w.id, n.hour, n.until_hour as until from unnest(${numberArray(ids)}::text::int4[]) as w (id)
    left join lateral (
      select p.hour, p.until_hour from ${pricePoint} p where p.token_id = w.id and p.hour > 0 order by p.hour desc limit 1
    ) n on true`

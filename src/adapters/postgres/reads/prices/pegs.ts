/** Which tokens are a dollar wherever no hour says otherwise, and what is left of those that were. */
import { oneDollar } from "../../../../model/price.ts"
import type { Address } from "../../../../model/primitives.ts"
import { forEver } from "../../../../ports/TokenPrices.ts"
import { numberArray } from "../../database/arrays.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import type { Transaction } from "../../database/Database.ts"
import { idsOf, moveRevision } from "./writePrices.ts"

/** Moves the revision where it changed something. What has no point of hour 0 and has others is left to the hours. */
export const recordPegs = async (
  transaction: Transaction,
  chain: ChainSql,
  pegged: ReadonlyArray<Address>,
  stablecoins: ReadonlyArray<Address>,
): Promise<void> => {
  const { tx, run } = transaction
  const { token, pricePoint, priceProgress } = chain
  const found = await idsOf(
    transaction,
    token,
    [...pegged, ...stablecoins].map((address) => ({ address })),
  )
  const idsIn = (addresses: ReadonlyArray<Address>) => addresses.flatMap((address) => found.get(address) ?? [])
  const [peggedIds, coinIds] = [new Set(idsIn(pegged)), new Set(idsIn(stablecoins))]
  const marked = await run(tx<Array<{ id: number; is_priced: boolean }>>`
    select p.token_id as id, exists (select from ${pricePoint} o where o.token_id = p.token_id and o.hour > 0) as is_priced
    from ${pricePoint} p where p.hour = 0`)
  const removed = marked.filter(({ id }) => !coinIds.has(id)).map(({ id }) => id)
  const lost = marked.filter(({ id, is_priced }) => coinIds.has(id) && !is_priced && !peggedIds.has(id))
  const known = new Set(marked.map(({ id }) => id))
  const unmarked = [...peggedIds].filter((id) => !known.has(id))
  const priced = new Set(
    unmarked.length === 0 ? [] : (await run(idsWithPoints(tx, chain, unmarked))).map(({ id }) => id),
  )
  const added = unmarked.filter((id) => !priced.has(id))
  for (const id of added)
    await run(tx`
      insert into ${pricePoint} (token_id, hour, until_hour, price)
      values (${id}::int4, 0, ${forEver}::int4, ${String(oneDollar)}::text::numeric) on conflict (token_id, hour) do nothing`)
  const gone = [...removed, ...lost.map(({ id }) => id)]
  if (gone.length > 0)
    await run(tx`delete from ${pricePoint} p where p.hour = 0 and p.token_id = any(${numberArray(gone)}::text::int4[])`)
  if (removed.length > 0)
    await run(tx`
      update ${pricePoint} p set until_hour = greatest(p.hour, coalesce((select g.next_hour from ${priceProgress} g), 0) - 1)
      where p.token_id = any(${numberArray(removed)}::text::int4[]) and p.until_hour = ${forEver}::int4`)
  if (added.length > 0 || gone.length > 0) await moveRevision(transaction, chain)
}

const idsWithPoints = (tx: Transaction["tx"], { pricePoint }: ChainSql, ids: ReadonlyArray<number>) =>
  tx<Array<{ id: number }>>`
    select w.id from unnest(${numberArray(ids)}::text::int4[]) as w (id)
    where exists (select 1 from ${pricePoint} p where p.token_id = w.id)`

/** Reads the places of new balances in the index of holders while other rows go out: the update that follows finds them in memory. */
import { numberArray } from "../../database/arrays.ts"
import type { Session } from "../wire/session.ts"
import type { Folding } from "./fold.ts"

/** On a connection of its own, and not waited for: a failure costs nothing but the time saved. */
export const warmRanks = (reader: Session, { pairs, dirty }: Folding): void => {
  const tokens = numberArray(dirty.map((index) => Math.abs(pairs.get(index, "token"))))
  const balances = numberArray(dirty.map((index) => pairs.balanceOf(index)))
  reader
    .run(
      (sql) => sql`
        select count(*) from unnest(${tokens}::text::int4[], ${balances}::text::numeric[]) as w (token_id, balance)
        cross join lateral (
          select from balance b where b.token_id = w.token_id and b.balance = w.balance limit 1
        ) b`,
    )
    .catch(() => {})
}

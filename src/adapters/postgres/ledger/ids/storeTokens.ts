/** An append's end for tokens: those that are new go into their tables. */
import { hexArray, numberArray } from "../../database/arrays.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import type { Session } from "../wire/session.ts"
import { forgetTokens, type NewToken, type Token, type Tokens } from "./tokens.ts"

/** Writes the tokens that are new; their counters start at nothing. */
export const storeBorn = async (session: Session, born: ReadonlyArray<NewToken>): Promise<void> => {
  if (born.length === 0) return
  const columns = {
    ids: numberArray(born.map(({ id }) => id)),
    standards: numberArray(born.map(({ standard }) => standardNumbers[standard])),
    addresses: hexArray(born.map(({ address }) => address)),
    blocks: numberArray(born.map((token) => token.born.blockNumber)),
    logIndexes: numberArray(born.map((token) => token.born.logIndex)),
    times: numberArray(born.map((token) => token.born.time)),
    transactions: hexArray(born.map((token) => token.born.txHash)),
  }
  const tokens = session.run(
    (sql) => sql`
      insert into token (token_id, standard, address, first_pos, sort_time, first_tx)
      select id, standard, address, block::int8 << 24 | log_index, time, tx
      from unnest(${columns.ids}::text::int4[], ${columns.standards}::text::int2[], ${columns.addresses}::text::bytea[],
                  ${columns.blocks}::text::int4[], ${columns.logIndexes}::text::int4[], ${columns.times}::text::int8[],
                  ${columns.transactions}::text::bytea[])
        as born (id, standard, address, block, log_index, time, tx)`,
  )
  // Sent behind it, not after its answer.
  const counters = session.run(
    (sql) => sql`
      insert into token_stat (token_id, standard, address, holder_seq)
      select id, standard, address, 1
      from unnest(${columns.ids}::text::int4[], ${columns.standards}::text::int2[], ${columns.addresses}::text::bytea[])
        as born (id, standard, address)`,
  )
  await Promise.all([tokens, counters, ...trustBorn(session, columns.ids)])
}

/**
 * Of few tokens a note says so before they are born. An insert that looked it up would read another table (see
 * `distributed.ts`). Joined, not compared with an array: where a plan filters by one, its text is read anew for each row.
 */
const trustBorn = (session: Session, ids: string): ReadonlyArray<Promise<unknown>> => [
  session.run(
    (sql) => sql`
      update token t set trusted = true
      from unnest(${ids}::text::int4[]) as born (token_id)
      where t.token_id = born.token_id and t.standard = 20
        and exists (select from token_note n where n.address = t.address and n.trusted)`,
  ),
  session.run(
    (sql) => sql`
      update token_stat s set trusted = true
      from unnest(${ids}::text::int4[]) as born (token_id)
      where s.token_id = born.token_id
        and exists (select from token t where t.token_id = s.token_id and t.trusted)`,
  ),
]

/** After the commit: the append's deltas are counted; forgets old tokens when there are too many. */
export const settleTokens = (tokens: Tokens, touched: ReadonlyArray<Token>, maxTokens: number): void => {
  for (const token of touched) {
    token.transfers = 0
    token.holders = 0
    token.ids = 0
    token.touched = false
    delete token.born
  }
  const { known } = tokens
  if (known.erc20.size + known.erc721.size + known.erc1155.size <= maxTokens) return
  forgetTokens(tokens)
  for (const token of touched) known[token.standard].set(token.address, token)
}

/** An append's end for tokens: those that are new go into their tables. */
import { hexArray, numberArray } from "../../database/arrays.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import type { Session } from "../wire/session.ts"
import { forgetTokens, type Token, type Tokens } from "./tokens.ts"

/** Writes the tokens that are new; their counters start at nothing. */
export const storeBorn = async (session: Session, touched: ReadonlyArray<Token>): Promise<void> => {
  const born = touched.filter((token) => token.born !== undefined)
  if (born.length === 0) return
  const columns = {
    ids: numberArray(born.map(({ id }) => id)),
    standards: numberArray(born.map(({ standard }) => standardNumbers[standard])),
    addresses: hexArray(born.map(({ address }) => address)),
    blocks: numberArray(born.map((token) => token.born!.blockNumber)),
    logIndexes: numberArray(born.map((token) => token.born!.logIndex)),
    times: numberArray(born.map((token) => token.born!.time)),
    transactions: hexArray(born.map((token) => token.born!.txHash)),
  }
  const tokens = session.run(
    (sql) => sql`
      insert into token (token_id, standard, address, first_pos, sort_time, first_tx, trusted)
      select id, standard, address, block::int8 << 24 | log_index, time, tx,
             standard = 20 and exists (select from token_note n where n.address = born.address and n.trusted)
      from unnest(${columns.ids}::text::int4[], ${columns.standards}::text::int2[], ${columns.addresses}::text::bytea[],
                  ${columns.blocks}::text::int4[], ${columns.logIndexes}::text::int4[], ${columns.times}::text::int8[],
                  ${columns.transactions}::text::bytea[])
        as born (id, standard, address, block, log_index, time, tx)`,
  )
  // Sent behind it, not after its answer.
  const counters = session.run(
    (sql) => sql`
      insert into token_stat (token_id, standard, address, holder_seq, trusted)
      select token_id, standard, address, 1, trusted from token
      where token_id = any(${columns.ids}::text::int4[])`,
  )
  await Promise.all([tokens, counters])
}

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

/** The tokens an append touches: ids by address, and what it adds to their counters. */
import type { Movement } from "../../../domain/model/event.ts"
import type { Address } from "../../../domain/model/primitives.ts"
import { byteaArray, numberArray } from "./arrays.ts"
import type { Session } from "./session.ts"

/** The ledger's number for ERC-20. */
export const erc20 = 20

export interface Token {
  readonly id: number
  readonly address: Address
  /** Last holder_no given out. */
  holderSeq: number
  /** Of the open append: */
  transfers: number
  holders: number
  touched: boolean
  /** Its first event, for a token born in the open append. */
  born?: Movement
}

export interface Tokens {
  /** Known tokens by address. */
  readonly known: Map<Address, Token>
  /** Last token_id given out. */
  sequence: number
}

/** Finds or numbers the token of every movement; adds those that the append had not touched yet to `touched`. */
export const resolveTokens = async (
  session: Session,
  tokens: Tokens,
  movements: ReadonlyArray<Movement>,
  touched: Array<Token>,
): Promise<void> => {
  const unknown = new Set<Address>()
  for (const { token } of movements) if (!tokens.known.has(token)) unknown.add(token)
  if (unknown.size > 0) await loadTokens(session, tokens, [...unknown])
  for (const movement of movements) {
    let token = tokens.known.get(movement.token)
    if (token === undefined) {
      token = {
        id: ++tokens.sequence,
        address: movement.token,
        holderSeq: 1,
        transfers: 0,
        holders: 0,
        touched: false,
        born: movement,
      }
      tokens.known.set(movement.token, token)
    }
    if (!token.touched) touched.push(token)
    token.touched = true
  }
}

const loadTokens = async (session: Session, { known }: Tokens, addresses: ReadonlyArray<Address>): Promise<void> => {
  const rows = await session.run(
    (sql) => sql<Array<{ address: Address; token_id: number; holder_seq: number }>>`
      select t.address, t.token_id, s.holder_seq
      from unnest(${byteaArray(addresses.map((it) => it.slice(2)))}::text::bytea[]) as wanted (address)
      join token t on t.address = wanted.address and t.standard = ${erc20}
      join token_stat s on s.token_id = t.token_id`,
  )
  for (const { address, token_id, holder_seq } of rows) {
    known.set(address, { id: token_id, address, holderSeq: holder_seq, transfers: 0, holders: 0, touched: false })
  }
}

/** Writes new tokens and the touched ones' counters; gives how many tokens are new. */
export const storeTokens = async (session: Session, touched: ReadonlyArray<Token>): Promise<number> => {
  const born = touched.filter((token) => token.born !== undefined)
  if (born.length > 0) {
    const columns = {
      ids: numberArray(born.map(({ id }) => id)),
      addresses: byteaArray(born.map(({ address }) => address.slice(2))),
      blocks: numberArray(born.map((token) => token.born!.blockNumber)),
      logIndexes: numberArray(born.map((token) => token.born!.logIndex)),
      times: numberArray(born.map((token) => token.born!.time)),
    }
    await session.run(
      (sql) => sql`
        insert into token (token_id, standard, address, first_pos, sort_time)
        select id, ${erc20}, address, block::int8 << 24 | log_index, time
        from unnest(${columns.ids}::text::int4[], ${columns.addresses}::text::bytea[], ${columns.blocks}::text::int4[],
                    ${columns.logIndexes}::text::int4[], ${columns.times}::text::int8[])
          as born (id, address, block, log_index, time)`,
    )
    await session.run(
      (sql) => sql`
        insert into token_stat (token_id, standard, address, holder_seq)
        select id, ${erc20}, address, 1
        from unnest(${columns.ids}::text::int4[], ${columns.addresses}::text::bytea[]) as born (id, address)`,
    )
  }
  if (touched.length > 0) {
    await session.run(
      (sql) => sql`
        update token_stat s
        set transfers = s.transfers + d.transfers, holders = s.holders + d.holders, holder_seq = d.holder_seq
        from unnest(${numberArray(touched.map(({ id }) => id))}::text::int4[],
                    ${numberArray(touched.map(({ transfers }) => transfers))}::text::int4[],
                    ${numberArray(touched.map(({ holders }) => holders))}::text::int4[],
                    ${numberArray(touched.map(({ holderSeq }) => holderSeq))}::text::int4[])
          as d (token_id, transfers, holders, holder_seq)
        where s.token_id = d.token_id`,
    )
  }
  return born.length
}

/** After the commit: the append's deltas are counted; forgets old tokens when there are too many. */
export const settleTokens = ({ known }: Tokens, touched: ReadonlyArray<Token>, maxTokens: number): void => {
  for (const token of touched) {
    token.transfers = 0
    token.holders = 0
    token.touched = false
    delete token.born
  }
  if (known.size <= maxTokens) return
  known.clear()
  for (const token of touched) known.set(token.address, token)
}

/** The tokens an append touches: ids by standard and address, and what it adds to their counters. */
import type { Fragment, Sql } from "postgres"
import type { Movement, Segment, SentToZero } from "../../../../model/event.ts"
import type { Address } from "../../../../model/primitives.ts"
import { type Standard, standards } from "../../../../model/token.ts"
import { byteaArray, numberArray } from "../../database/arrays.ts"
import { standardNumbers } from "../../database/chainSql.ts"
import type { Session } from "../wire/session.ts"

export interface Token {
  readonly id: number
  readonly standard: Standard
  readonly address: Address
  /** As it was found (LedgerWriter.letZeroAddressHold); `burnt` of other standards. */
  readonly sentToZero: SentToZero
  /** Last holder_no given out. */
  holderSeq: number
  /** Last unit_no given out. */
  unitSeq: number
  /** Of the open append: */
  transfers: number
  holders: number
  /** Live ids of an ERC-721, (address, id) above zero of an ERC-1155. */
  ids: number
  touched: boolean
  /** Its first event, for a token born in the open append. */
  born?: Birth
}

/** Where a token's first event is. */
export type Birth = Pick<Movement, "blockNumber" | "logIndex" | "time" | "txHash">

/** A token that the open append brings into being. */
export type NewToken = Pick<Token, "id" | "standard" | "address"> & { readonly born: Birth }

export interface Tokens {
  /** Known tokens of each standard by address. */
  readonly known: Readonly<Record<Standard, Map<Address, Token>>>
  /** Last token_id given out. */
  sequence: number
}

export const newTokens = (sequence: number): Tokens => ({
  known: { erc20: new Map(), erc721: new Map(), erc1155: new Map() },
  sequence,
})

export const forgetTokens = ({ known }: Tokens): void => {
  for (const standard of standards) known[standard].clear()
}

/** Finds or numbers the token of every row; adds those that the append had not touched yet to `touched`. */
export const resolveTokens = async (
  session: Session,
  tokens: Tokens,
  { movements, nfts }: Pick<Segment, "movements" | "nfts">,
  touched: Array<Token>,
): Promise<void> => {
  const { known } = tokens
  const unknown = newAddressSets()
  for (const { token } of movements) if (!known.erc20.has(token)) unknown.erc20.add(token)
  for (const { standard, token } of nfts) if (!known[standard].has(token)) unknown[standard].add(token)
  await loadTokens(session, tokens, unknown)
  const touch = (token: Token): void => {
    if (!token.touched) touched.push(token)
    token.touched = true
  }
  for (const row of movements) touch(tokenOfRow(tokens, "erc20", row))
  for (const row of nfts) touch(tokenOfRow(tokens, row.standard, row))
}

/** The known one, or another that the row brings into being. */
const tokenOfRow = (tokens: Tokens, standard: Standard, row: Birth & { readonly token: Address }): Token => {
  const known = tokens.known[standard].get(row.token)
  if (known !== undefined) return known
  const id = ++tokens.sequence
  const born = { ...tokenOf(standard, row.token, { id, sentToZero: "burnt", holderSeq: 1, unitSeq: 0 }), born: row }
  tokens.known[standard].set(row.token, born)
  return born
}

const tokenOf = (
  standard: Standard,
  address: Address,
  stored: Pick<Token, "id" | "sentToZero" | "holderSeq" | "unitSeq">,
): Token => ({
  ...stored,
  standard,
  address,
  transfers: 0,
  holders: 0,
  ids: 0,
  touched: false,
})

/** Tokens by their standard. */
export type AddressSets = Readonly<Record<Standard, Set<Address>>>
export const newAddressSets = (): AddressSets => ({ erc20: new Set(), erc721: new Set(), erc1155: new Set() })

type Wanted = Pick<Token, "standard" | "address">

export const listed = (sets: AddressSets): ReadonlyArray<Wanted> =>
  standards.flatMap((standard) => [...sets[standard]].map((address) => ({ standard, address })))

/** Those of them that are stored, for `from`: `token t`, and `wanted.place`, from 1 on. */
export const stored = (sql: Sql, wanted: ReadonlyArray<Wanted>): Fragment => sql`
  unnest(${byteaArray(wanted.map(({ address }) => address.slice(2)))}::text::bytea[],
         ${numberArray(wanted.map(({ standard }) => standardNumbers[standard]))}::text::int2[])
    with ordinality as wanted (address, standard, place)
  join token t on t.address = wanted.address and t.standard = wanted.standard`

/** Of token `t`. */
export const sentToZero = (sql: Sql): Fragment => sql`
  case when not t.keeps_burnt then 'burnt' when t.burns_own then 'keptButOwn' else 'kept' end`

interface FoundToken {
  readonly place: number
  readonly token_id: number
  readonly sent_to_zero: SentToZero
  readonly holder_seq: number
  readonly unit_seq: number
}

const loadTokens = async (session: Session, { known }: Tokens, unknown: AddressSets): Promise<void> => {
  const wanted = listed(unknown)
  if (wanted.length === 0) return
  const rows = await session.run(
    (sql) => sql<Array<FoundToken>>`
      select wanted.place, t.token_id, ${sentToZero(sql)} as sent_to_zero, s.holder_seq, s.unit_seq
      from ${stored(sql, wanted)} join token_stat s on s.token_id = t.token_id`,
  )
  for (const { place, token_id, sent_to_zero, holder_seq, unit_seq } of rows) {
    const { standard, address } = wanted[place - 1]!
    const found = { id: token_id, sentToZero: sent_to_zero, holderSeq: holder_seq, unitSeq: unit_seq }
    known[standard].set(address, tokenOf(standard, address, found))
  }
}

/** Those that the append brings into being. */
export const bornOf = (touched: ReadonlyArray<Token>): ReadonlyArray<NewToken> =>
  touched.filter((token): token is Token & NewToken => token.born !== undefined)

/** How many rows of each standard the append added to the tables that `state` counts. */
export const countTouched = (touched: ReadonlyArray<Token>) => {
  const count = () => ({ erc20: 0, erc721: 0, erc1155: 0 })
  const [tokens, transfers] = [count(), count()]
  for (const token of touched) {
    if (token.born !== undefined) tokens[token.standard]++
    transfers[token.standard] += token.transfers
  }
  return { tokens, transfers }
}

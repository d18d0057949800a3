/** A pair's columns in rows for COPY. */
import type { CopyRows } from "../wire/copy.ts"
import { field, flag, type Pairs } from "./pairs.ts"

/** The pair's key columns: token_id and holder. */
export const writePair = (rows: CopyRows, pairs: Pairs, index: number): void => {
  rows.int4(Math.abs(pairs.get(index, "token")))
  if (pairs.isReserved(index)) rows.zeros(pairs.reservedNo(index) === 0 ? 0 : 1)
  else rows.byteaOfWords(pairs.words, pairs.at(index) + field.address, 5)
}

export const writeBalance = (rows: CopyRows, pairs: Pairs, index: number): void => {
  if (pairs.hasFlag(index, flag.wide)) rows.bigNumeric(pairs.balanceOf(index))
  else rows.numeric(pairs.words, pairs.at(index) + field.balance)
}

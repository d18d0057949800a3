/** ERC-1155: what a log does to what its parties have of the id, and to their sums over the ids they hold. */
import { type Account, mintAccount, type NftMovement } from "../../../../model/event.ts"
import type { Address } from "../../../../model/primitives.ts"
import type { CopyRows } from "../wire/copy.ts"
import type { Change } from "./change.ts"
import type { Token } from "./tokens.ts"
import type { Unit, UnitMove, Units } from "./units.ts"

/** A version that a touch in a later block superseded. */
interface Superseded {
  readonly unit: Unit
  readonly blockNumber: number
  readonly balance: bigint
}

interface UnitRows {
  readonly rows: ReadonlyArray<NftMovement>
  /** One a row. */
  readonly moves: ReadonlyArray<UnitMove>
  readonly tokens: ReadonlyMap<Address, Token>
}

/**
 * Moves amounts in log order; gives what that does to the addresses' sums. The other side of a sum's change is the
 * mint account where it is not another address's: nobody reads the reserved pairs of an ERC-1155.
 */
export const moveUnits = (
  { touched }: Units,
  history: CopyRows,
  { rows, moves, tokens }: UnitRows,
): ReadonlyArray<Change> => {
  const changes: Array<Change> = []
  const superseded: Array<Superseded> = []
  const change = (unit: Unit, token: Token, blockNumber: number, by: bigint): bigint => {
    if (unit.blockNumber !== blockNumber && unit.blockNumber >= 0) {
      superseded.push({ unit, blockNumber: unit.blockNumber, balance: unit.balance })
    }
    unit.blockNumber = blockNumber
    if (!unit.touched) touched.push(unit)
    unit.touched = true
    const before = held(unit.balance)
    unit.balance += by
    const after = held(unit.balance)
    token.ids += (after > 0n ? 1 : 0) - (before > 0n ? 1 : 0)
    return after - before
  }
  rows.forEach(({ token: address, blockNumber, amount }, place) => {
    const { debit, credit } = moves[place]!
    const token = tokens.get(address)!
    token.transfers++
    const lost = debit === undefined ? 0n : -change(debit, token, blockNumber, -amount)
    const gained = credit === undefined ? 0n : change(credit, token, blockNumber, amount)
    const move = (from: Account, to: Account, by: bigint) =>
      changes.push({ kind: "nft", token: address, blockNumber, debit: from, credit: to, amount: by })
    if (debit !== undefined && credit !== undefined && lost === gained) move(debit.holder, credit.holder, lost)
    else {
      if (debit !== undefined) move(debit.holder, mintAccount, lost)
      if (credit !== undefined) move(mintAccount, credit.holder, gained)
    }
  })
  for (const { unit, blockNumber, balance } of superseded.sort(byNumber)) {
    history.row()
    history.int4(unit.tokenId)
    history.int4(unit.unitNo)
    history.int4(blockNumber)
    history.bigNumeric(balance)
  }
  return changes
}

/** What counts as held: a balance below zero is nothing. */
const held = (balance: bigint): bigint => (balance > 0n ? balance : 0n)

const byNumber = (a: Superseded, b: Superseded): number =>
  a.unit.tokenId - b.unit.tokenId || a.unit.unitNo - b.unit.unitNo || a.blockNumber - b.blockNumber

/** The blocks that touched a balance or a supply, with what it was before and after: all rows of a token taken one after the other. */
import { nobody, type TrueRow, type TrueStandard } from "../../support/judge/trueLogs.ts"
import { wrapped } from "../chain/scene.ts"
import type { State } from "../oracle.ts"

export interface Touch {
  readonly blockNumber: number
  readonly before: bigint
  readonly after: bigint
  /** Hashes of those with a log that moved something of it, or nothing, in order. */
  readonly transactions: ReadonlyArray<string>
}

/** A log's part of it: by what it changes; absent = it does not touch. */
interface Step {
  readonly blockNumber: number
  readonly logIndex: number
  readonly sub: number
  readonly txHash: string
  readonly change: bigint | undefined
  /** Whether the log names the holder; absent = where it touches. */
  readonly isNamed?: boolean
}

/** Of ERC-20 and single ids of ERC-1155 what is below zero too. */
export const balanceTouches = (
  state: State,
  standard: TrueStandard,
  contract: string,
  holder: string,
  tokenId?: bigint,
): ReadonlyArray<Touch> => {
  const rows = state.rows[standard].filter(
    (row) => row.token === contract && (tokenId === undefined || row.tokenId === tokenId),
  )
  if (standard === "erc20") {
    const wraps = wrapsOf(state, contract).filter((wrap) => wrap.holder === holder)
    return touchesOf([...rows.map((row) => ({ ...row, change: changeOfRow(row, holder) })), ...wraps])
  }
  if (standard === "erc721") return touchesOf(ownersSteps(rows, holder))
  return touchesOf(tokenId === undefined ? unitsSteps(rows, holder) : rows.map((row) => unitStep(row, holder)))
}

/** Below zero too. */
export const supplyTouches = (state: State, contract: string): ReadonlyArray<Touch> => {
  const rows = state.rows.erc20
    .filter(({ token }) => token === contract)
    .map((row): Step => {
      const burns = row.from !== nobody && row.to === nobody && contract !== wrapped
      return {
        ...row,
        change: row.from === nobody ? row.amount : burns ? -row.amount : undefined,
      }
    })
  return touchesOf([...rows, ...wrapsOf(state, contract)])
}

const wrapsOf = (state: State, contract: string) =>
  state.wraps.filter(({ token }) => token === contract).map((wrap) => ({ ...wrap, sub: 0 }))

/** The zero address has what is sent to it from itself; of wrapped native whatever is sent to it. */
const changeOfRow = ({ token, from, to, amount }: TrueRow, holder: string): bigint | undefined => {
  const burns = from !== nobody && to === nobody && token !== wrapped
  const [gives, takes] = [from === holder && from !== nobody, to === holder && !burns]
  return gives || takes ? (takes ? amount : 0n) - (gives ? amount : 0n) : undefined
}

const unitStep = (row: TrueRow, holder: string): Step => {
  const { from, to, amount } = row
  const [gives, takes] = [from === holder && from !== nobody, to === holder && (from === nobody || to !== nobody)]
  return {
    ...row,
    change: gives || takes ? (takes ? amount : 0n) - (gives ? amount : 0n) : undefined,
  }
}

/** Of all ids together what is above zero. */
const unitsSteps = (rows: ReadonlyArray<TrueRow>, holder: string): ReadonlyArray<Step> => {
  const units = new Map<bigint, bigint>()
  const above = (amount: bigint) => (amount > 0n ? amount : 0n)
  return rows.map((row) => {
    const { change } = unitStep(row, holder)
    if (change === undefined) return { ...row, change }
    const before = units.get(row.tokenId) ?? 0n
    units.set(row.tokenId, before + change)
    return { ...row, change: above(before + change) - above(before) }
  })
}

/** Whoever owned the id gives it, whatever the log says; who is named is touched all the same. */
const ownersSteps = (rows: ReadonlyArray<TrueRow>, holder: string): ReadonlyArray<Step> => {
  const owners = new Map<bigint, string>()
  return rows.map((row) => {
    const [gives, takes] = [owners.get(row.tokenId) === holder, row.to === holder && row.to !== nobody]
    if (row.to === nobody) owners.delete(row.tokenId)
    else owners.set(row.tokenId, row.to)
    const isNamed = takes || (row.from === holder && holder !== nobody)
    const change = gives || isNamed ? (takes ? 1n : 0n) - (gives ? 1n : 0n) : undefined
    return { ...row, change, isNamed }
  })
}

const touchesOf = (steps: ReadonlyArray<Step>): ReadonlyArray<Touch> => {
  const ordered = [...steps].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex || a.sub - b.sub)
  const blocks = new Map<number, { before: bigint; after: bigint; isTouched: boolean; names: Set<string> }>()
  let balance = 0n
  for (const { blockNumber, txHash, change, isNamed = change !== undefined } of ordered) {
    const block = blocks.get(blockNumber) ?? { before: balance, after: balance, isTouched: false, names: new Set() }
    blocks.set(blockNumber, block)
    balance += change ?? 0n
    block.after = balance
    block.isTouched ||= change !== undefined
    if (isNamed) block.names.add(txHash)
  }
  return [...blocks].flatMap(([blockNumber, { isTouched, names, before, after }]) =>
    isTouched ? [{ blockNumber, before, after, transactions: [...names] }] : [],
  )
}

/** What addresses hold of all standards, row by row, and what it is worth: by the rules of docs/interface.md. */
import type { TrueStandard } from "../../support/judge/truth.ts"
import { dollar, sayingOf, trusted } from "../chain/scene.ts"
import { Learned, OneOf } from "../compare.ts"
import { type State, standards } from "../oracle.ts"
import { dateOf, dollarsOf, onePrice, type Row, usdText } from "../records.ts"
import { balanceTouches } from "./touches.ts"

/** Which rows. */
export interface Which {
  readonly standards: ReadonlyArray<TrueStandard>
  readonly onlyTrusted: boolean
  /** US dollars with 18 decimals. */
  readonly least: bigint | undefined
  /** ERC-721 by id. */
  readonly byId: boolean
}

interface Holding {
  readonly standard: TrueStandard
  readonly contract: string
  readonly tokenId: bigint | undefined
  readonly balance: bigint
  readonly value: bigint | null
}

/** Of a state, now or as of a block of it. */
export const holdingsOf = (state: State, holder: string, which: Which): ReadonlyArray<Holding> =>
  which.standards
    .flatMap((standard) =>
      [...state.firsts[standard].keys()].flatMap((contract) =>
        unitsHeld(state, standard, contract, holder, which.byId).map(([tokenId, balance]) => ({
          standard,
          contract,
          tokenId,
          balance,
          value: standard === "erc20" && contract === dollar ? dollarsOf(balance) : null,
        })),
      ),
    )
    .filter(({ contract }) => !which.onlyTrusted || trusted.includes(contract))
    .filter(({ value }) => which.least === undefined || (value !== null && value >= which.least))

type Units = ReadonlyArray<readonly [tokenId: bigint | undefined, balance: bigint]>

const unitsHeld = (state: State, standard: TrueStandard, contract: string, holder: string, byId: boolean): Units => {
  if (standard === "erc1155")
    return [...(state.goods.get(contract) ?? [])].flatMap(([id, holders]): Units => {
      const balance = holders.get(holder) ?? 0n
      return balance > 0n ? [[id, balance]] : []
    })
  if (standard === "erc721" && byId)
    return [...(state.collections.get(contract)?.owners ?? [])].flatMap(
      ([id, owner]): Units => (owner === holder ? [[id, 1n]] : []),
    )
  const balance =
    standard === "erc20"
      ? (state.tokens.get(contract)?.balances.get(holder) ?? 0n)
      : BigInt([...(state.collections.get(contract)?.owners.values() ?? [])].filter((owner) => owner === holder).length)
  return balance > 0n ? [[undefined, balance]] : []
}

/** `byValue`: the list's key begins with the value. Then by chain, holder, standard, contract and id. */
export const holdingRows = (state: State, holder: string, which: Which, byValue: boolean): ReadonlyArray<Row> =>
  holdingsOf(state, holder, which).map((holding): Row => {
    const { standard, contract, tokenId, value } = holding
    const place = [Number(state.chainId), holder, standards.indexOf(standard), contract, tokenId ?? -1n]
    return { item: () => record(state, holder, holding), key: byValue ? [value, ...place] : place }
  })

const record = (state: State, holder: string, { standard, contract, tokenId, balance, value }: Holding) => {
  const { name, symbol, decimals } = sayingOf(contract)
  const isUnit = standard === "erc721" && tokenId !== undefined
  // An id was touched by its last row, whoever that named.
  const last = isUnit
    ? state.rows.erc721.findLast((row) => row.token === contract && row.tokenId === tokenId)
    : balanceTouches(state, standard, contract, holder, tokenId).at(-1)
  return {
    chainId: state.chainId,
    address: holder,
    standard,
    tokenAddress: contract,
    ...(tokenId === undefined ? {} : { tokenId: `${tokenId}` }),
    name: new Learned(name),
    symbol: new Learned(symbol),
    ...(standard === "erc20" ? { decimals: new Learned(decimals) } : {}),
    balance: `${balance}`,
    ...(value === null ? {} : { price: onePrice, valueUsd: usdText(value) }),
    blueCheckmark: trusted.includes(contract),
    changedBlockNumber: last?.blockNumber,
    auditState: new OneOf("exact", "drift", "rebasing", "unverified"),
    // Said of tokens in doubt.
    source: new OneOf(undefined, "node", "ledger"),
  }
}

/** A portfolio, whole. `block`: the one that was named. */
export const portfolioOf = (states: ReadonlyArray<State>, holder: string, which: Which, block: number | undefined) => {
  const parts = states.map((state) => {
    const isHead = block === undefined || block === state.head.number
    return {
      state,
      isHead,
      held: holdingsOf(block === undefined ? state : state.at(block), holder, which),
    }
  })
  return {
    address: holder,
    ...sumsOf(parts.flatMap(({ held }) => held)),
    suspect: suspectOf(parts.flatMap(({ held }) => held)),
    chains: parts.map(({ state, isHead, held }) => ({
      chainId: state.chainId,
      ...sumsOf(held),
      blockNumber: block ?? state.head.number,
      ...(isHead ? { blockHash: state.head.hash, timestamp: dateOf(state.head.time) } : pastFacts(state, block!)),
      source: new OneOf(undefined, "node", "ledger"),
      suspect: suspectOf(held),
    })),
  }
}

/** When the audit takes a token for what is not known here. */
const suspectOf = (held: ReadonlyArray<Holding>) => new OneOf(undefined, ...held.map((_, place) => place + 1))

const sumsOf = (held: ReadonlyArray<Holding>) => {
  const values = held.flatMap(({ value }) => (value === null ? [] : [value]))
  const isKnown = values.length > 0 || held.length === 0
  return {
    ...(isKnown ? { valueUsd: usdText(values.reduce((sum, value) => sum + value, 0n)) } : {}),
    tokens: held.length,
    priced: values.length,
    unpriced: held.length - values.length,
  }
}

/** The hash as long as a reorg may replace it, the time where the ledger knows it: never another. */
const pastFacts = (state: State, number: number) => {
  const { hash, time } = state.blockAt(number)
  return { blockHash: new OneOf(undefined, hash), timestamp: new OneOf(undefined, dateOf(time)) }
}

/** The records that every answer must hold, made of the oracle's states; the rules are those of docs/interface.md. */
import { holdersOf, idsOf, type TrueRow, type TrueStandard, unitsOf } from "../support/judge/truth.ts"
import { dollar, plain, sayingOf, trusted, uriOf } from "./chain/scene.ts"
import { decimalsOf, priceOf, type SoakSwap } from "./chain/swaps.ts"
import { Learned } from "./compare.ts"
import { type State, standards } from "./oracle.ts"

/** A row and where it stands in its list: the parts of its key one after the other decide. */
export interface Row {
  readonly item: () => unknown
  readonly key: ReadonlyArray<Part>
}
/** null = absent, which is last in both directions. */
export type Part = bigint | number | string | null

const learned = (value: unknown, before?: unknown) => new Learned(value, before)
export const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString()

/** Of the dollar, at all times. */
export const onePrice = `${10n ** 18n}`

/** What so many subunits of it are worth: 18 decimals, half up. */
export const dollarsOf = (amount: bigint): bigint => {
  const scale = 10n ** BigInt(sayingOf(dollar).decimals!)
  return (2n * amount * 10n ** 18n + scale) / (2n * scale)
}

/** 18 decimals, without the zeros at the end. */
export const usdText = (usd: bigint): string => {
  const digits = `${usd}`.padStart(19, "0")
  return `${digits.slice(0, -18)}.${digits.slice(-18)}`.replace(/\.?0+$/u, "")
}

export const supplyOf = (state: State, standard: TrueStandard, address: string): bigint => {
  if (standard === "erc721") return BigInt(idsOf(state, address).length)
  const supply = standard === "erc20" ? (state.tokens.get(address)?.supply ?? 0n) : 0n
  return supply > 0n ? supply : 0n
}

export const heldOf = (state: State, standard: TrueStandard, address: string) => holdersOf(state, standard, address)

export const tokenRecord = (state: State, standard: TrueStandard, address: string) => {
  const first = state.firsts[standard].get(address)!
  const { name, symbol, decimals } = sayingOf(address)
  const [last24h, last48h, last72h] = state.recent[standard].get(address) ?? [0, 0, 0]
  return {
    chainId: state.chainId,
    address,
    name: learned(name),
    symbol: learned(symbol),
    ...(standard === "erc20"
      ? { decimals: learned(decimals), totalSupply: `${supplyOf(state, standard, address)}` }
      : {}),
    ...(standard === "erc20" && address === dollar ? { price: onePrice } : {}),
    // Nobody proves who made the others.
    createOperation: learned(plain.has(address) ? { timestamp: dateOf(first.time), txHash: first.txHash } : undefined),
    transfers: { last24h, last48h, last72h },
    holdersCount: heldOf(state, standard, address).length,
  }
}

const transferRecord = (state: State, row: TrueRow, include: ReadonlyArray<string>) => {
  const { name, symbol, decimals } = sayingOf(row.token)
  return {
    chainId: state.chainId,
    blockNumber: row.blockNumber,
    txHash: row.txHash,
    logIndex: row.logIndex,
    from: row.from,
    to: row.to,
    createdAt: dateOf(row.time),
    timestamp: dateOf(row.time),
    tokenAddress: row.token,
    ...(row.standard === "erc721" ? {} : { amount: `${row.amount}` }),
    ...(row.standard === "erc20" && row.token === dollar ? { amountInUsd: usdText(dollarsOf(row.amount)) } : {}),
    ...(row.standard === "erc20" ? { tokenDecimals: learned(decimals) } : { tokenId: `${row.tokenId}` }),
    tokenName: learned(name),
    tokenSymbol: learned(symbol),
    ...(include.includes("transactionIndex") ? { transactionIndex: row.txIndex } : {}),
    ...(include.includes("operator") ? { operator: row.operator } : {}),
  }
}

/** One chain by its blocks, many by the time; the rest decides between equals. */
const feedKey = (state: State, many: boolean, time: number, rest: ReadonlyArray<number>) =>
  many ? [time, Number(state.chainId), ...rest] : rest

export const transferRow =
  (state: State, many: boolean, include: ReadonlyArray<string> = []) =>
  (row: TrueRow): Row => ({
    item: () => transferRecord(state, row, include),
    key: feedKey(state, many, row.time, [row.blockNumber, row.logIndex, row.sub]),
  })

export const swapRow =
  (state: State, many: boolean) =>
  (swap: SoakSwap): Row => ({
    item: () => ({
      chainId: state.chainId,
      txHash: swap.txHash,
      timestamp: dateOf(swap.time),
      price: priceOf(swap),
      tokenIn: swap.tokenIn,
      tokenOut: swap.tokenOut,
      tokenInQty: `${swap.paid}`,
      tokenOutQty: `${swap.got}`,
      tokenInDecimals: decimalsOf(swap.tokenIn),
      tokenOutDecimals: decimalsOf(swap.tokenOut),
      sourceDeployer: swap.factory,
    }),
    key: feedKey(state, many, swap.time, [swap.blockNumber, swap.logIndex]),
  })

/** Rounded half up to six decimals; absent where it would be above 1, or of nothing. */
const percentageOf = (balance: bigint, supply: bigint): number | undefined =>
  supply <= 0n || balance > supply ? undefined : Number(((balance * 10_000_000n) / supply + 5n) / 10n) / 1e6

export const holderRows = (state: State, standard: "erc20" | "erc721", address: string): ReadonlyArray<Row> => {
  const supply = supplyOf(state, standard, address)
  return heldOf(state, standard, address).map(([holder, balance]) => ({
    item: () => ({
      chainId: state.chainId,
      address: holder,
      balance: `${balance}`,
      percentage: percentageOf(balance, supply),
    }),
    key: [-balance, holder],
  }))
}

export const unitRows = (state: State, address: string): ReadonlyArray<Row> =>
  unitsOf(state, address).map(([id, holder, balance]) => ({
    item: () => ({ chainId: state.chainId, address: holder, tokenId: `${id}`, balance: `${balance}` }),
    key: [-balance, holder, id],
  }))

export const idRows = (state: State, address: string): ReadonlyArray<Row> =>
  idsOf(state, address).map((id) => ({
    item: () => ({
      chainId: state.chainId,
      tokenAddress: address,
      tokenId: `${id}`,
      // Asked at leisure: there are many.
      tokenUri: new Learned(uriOf(id), undefined, false),
      createdAt: dateOf(state.collections.get(address)!.mintedAt.get(id)!),
    }),
    key: [id],
  }))

/** The standards of a contract; where none is named the first of them speaks. */
export const standardsOf = (state: State, address: string): ReadonlyArray<TrueStandard> =>
  standards.filter((standard) => state.firsts[standard].has(address))

const textFields =
  "description website email blog reddit slack facebook twitter bitcointalk github telegram wechat linkedin discord whitepaperUrl audit"

export const tokenInfo = (state: State, standard: TrueStandard, address: string) => {
  const { name, symbol } = sayingOf(address)
  return {
    contractAddress: address,
    tokenType: standard.toUpperCase(),
    tokenName: learned(name, ""),
    symbol: learned(symbol, ""),
    totalSupply: standard === "erc1155" ? "" : `${supplyOf(state, standard, address)}`,
    blueCheckmark: `${standard === "erc20" && trusted.includes(address)}`,
    ...Object.fromEntries(textFields.split(" ").map((field) => [field, ""])),
  }
}

/** Token events for tests, and the logs that carry them. */
import { approvalTopics, swapTopics, topics } from "../../../src/domain/ingest/decode/topics.ts"
import type { SwapSides, TokenEvent } from "../../../src/model/event.ts"
import { isManaged, managedPool, type PoolKey } from "../../../src/model/poolKey.ts"
import { Address } from "../../../src/model/primitives.ts"

/** A token event at a contract, before it has a place in a block. */
export interface TestEvent {
  readonly token: Address
  readonly event: TokenEvent
  /** How it is written, where not as `encodeEvent` does. */
  readonly written?: { readonly topics: ReadonlyArray<string>; readonly data: string }
}

export const transfer = (token: Address, from: Address, to: Address, amount: bigint): TestEvent => ({
  token,
  event: { kind: "erc20Transfer", from, to, amount },
})
export const deposit = (token: Address, holder: Address, amount: bigint): TestEvent => ({
  token,
  event: { kind: "deposit", holder, amount },
})
export const withdrawal = (token: Address, holder: Address, amount: bigint): TestEvent => ({
  token,
  event: { kind: "withdrawal", holder, amount },
})
/** ERC-721: one id. */
export const nftTransfer = (token: Address, from: Address, to: Address, tokenId: bigint): TestEvent => ({
  token,
  event: { kind: "nftTransfer", standard: "erc721", from, to, units: [{ tokenId, amount: 1n }] },
})
/** ERC-2309: ids `first` to `last`, at least two. */
export const consecutiveTransfer = (
  token: Address,
  from: Address,
  to: Address,
  first: bigint,
  last: bigint,
): TestEvent => ({
  token,
  event: {
    kind: "nftTransfer",
    standard: "erc721",
    from,
    to,
    units: Array.from({ length: Number(last - first) + 1 }, (_, place) => ({
      tokenId: first + BigInt(place),
      amount: 1n,
    })),
  },
})
/** Who moves an account's ids: neither party. */
export const operatorOf = (from: Address): Address => Address.make(`0x0e${from.slice(4)}`)
/** ERC-1155: one id as TransferSingle, none or several as TransferBatch. */
export const multiTransfer = (
  token: Address,
  from: Address,
  to: Address,
  units: ReadonlyArray<readonly [tokenId: bigint, amount: bigint]>,
): TestEvent => ({
  token,
  event: {
    kind: "nftTransfer",
    standard: "erc1155",
    from,
    to,
    operator: operatorOf(from),
    units: units.map(([tokenId, amount]) => ({ tokenId, amount })),
  },
})

/** What an owner allows somebody of an ERC-20. */
export const approval = (token: Address, owner: Address, spender: Address, amount: bigint): TestEvent => ({
  token,
  event: { kind: "approval", of: "amount", owner, spender, tokenId: 0n, amount },
})
/** Who may move one id of an ERC-721; the zero address: nobody. */
export const idApproval = (token: Address, owner: Address, spender: Address, tokenId: bigint): TestEvent => ({
  token,
  event: { kind: "approval", of: "tokenId", owner, spender, tokenId, amount: 1n },
})
export const operatorApproval = (token: Address, owner: Address, spender: Address, isAllowed: boolean): TestEvent => ({
  token,
  event: { kind: "approval", of: "operator", owner, spender, tokenId: 0n, amount: isAllowed ? 1n : 0n },
})

/** A swap at a pool with an address of its own, as Uniswap V2 says it. */
export const swap = (pool: Address, { paid0, paid, got }: SwapSides): TestEvent => ({
  token: pool,
  event: { kind: "swap", pool, paid0, paid, got },
})

/** A swap of a Uniswap V4 pool. */
export const managedSwap = (manager: Address, id: string, sides: SwapSides): TestEvent => ({
  token: manager,
  event: { kind: "swap", pool: managedPool(manager, id), ...sides },
})
export const initialize = (manager: Address, id: string, token0: Address, token1: Address): TestEvent => ({
  token: manager,
  event: { kind: "poolInitialized", pool: managedPool(manager, id), token0, token1 },
})

const word = (value: bigint | Address) =>
  (typeof value === "bigint" ? BigInt.asUintN(256, value).toString(16) : value.slice(2)).padStart(64, "0")
const topic = (value: bigint | Address) => `0x${word(value)}`
const dataOf = (...words: ReadonlyArray<bigint>) => `0x${words.map(word).join("")}`

/** Topics and data of the log that says the event. */
export const encodeEvent = (event: TokenEvent): { readonly topics: ReadonlyArray<string>; readonly data: string } => {
  switch (event.kind) {
    case "erc20Transfer":
      return { topics: [topics.transfer, topic(event.from), topic(event.to)], data: dataOf(event.amount) }
    case "deposit":
      return { topics: [topics.deposit, topic(event.holder)], data: dataOf(event.amount) }
    case "withdrawal":
      return { topics: [topics.withdrawal, topic(event.holder)], data: dataOf(event.amount) }
    case "nftTransfer":
      return encodeNft(event)
    case "approval":
      return encodeApproval(event)
    case "swap":
      return encodeSwap(event)
    case "poolInitialized":
      return {
        topics: [swapTopics.v4Initialize, idOf(event.pool), topic(event.token0), topic(event.token1)],
        data: dataOf(3000n, 60n, 0n, 2n ** 96n, 0n),
      }
    default:
      return { topics: [topics.transfer], data: "0x" }
  }
}

const encodeApproval = ({ of, owner, spender, tokenId, amount }: TokenEvent & { readonly kind: "approval" }) => {
  const parties = [topic(owner), topic(spender)]
  if (of === "operator") return { topics: [approvalTopics.approvalForAll, ...parties], data: dataOf(amount) }
  return of === "amount"
    ? { topics: [approvalTopics.approval, ...parties], data: dataOf(amount) }
    : { topics: [approvalTopics.approval, ...parties, topic(tokenId)], data: "0x" }
}

/** Logs that rows do not give back: nothing sure, an empty one of another length, a batch of one, a batch with its amounts first, a range of one. */
export const oddEvents = (token: Address, operator: Address, from: Address, to: Address): ReadonlyArray<TestEvent> => {
  const event: TokenEvent = { kind: "malformed" }
  const [by, parties] = [topic(operator), [topic(from), topic(to)]]
  const batch = [topics.transferBatch, by, ...parties]
  return [
    { topics: [topics.transfer], data: `0x${"07".repeat(100)}` },
    { topics: [topics.transfer, ...parties, topic(1n)], data: dataOf(1n) },
    { topics: batch, data: dataOf(64n, 128n, 1n, 3n, 1n, 5n) },
    { topics: batch, data: dataOf(160n, 64n, 2n, 5n, 6n, 2n, 1n, 3n) },
    { topics: [topics.consecutiveTransfer, topic(2n), ...parties], data: dataOf(2n) },
  ].map((written) => ({ token, event, written }))
}

const idOf = (pool: PoolKey) => pool.slice(43)

const encodeSwap = ({ pool, paid0, paid, got }: TokenEvent & { readonly kind: "swap" }) => {
  const someone = topic(Address.make(`0x${"5".repeat(40)}`))
  if (isManaged(pool)) {
    const [amount0, amount1] = paid0 ? [-paid, got] : [got, -paid]
    return { topics: [swapTopics.v4, idOf(pool), someone], data: dataOf(amount0, amount1, 2n ** 96n, 1n, 0n, 3000n) }
  }
  const parts = paid0 ? [paid, 0n, 0n, got] : [0n, paid, got, 0n]
  return { topics: [swapTopics.v2, someone, someone], data: dataOf(...parts) }
}

const encodeNft = ({
  standard,
  from,
  to,
  operator: by = from,
  units,
}: TokenEvent & { readonly kind: "nftTransfer" }) => {
  const parties = [topic(from), topic(to)]
  const first = units[0]
  if (standard === "erc721") {
    const last = units.at(-1)!
    return units.length === 1
      ? { topics: [topics.transfer, ...parties, topic(first!.tokenId)], data: "0x" }
      : { topics: [topics.consecutiveTransfer, topic(first!.tokenId), ...parties], data: dataOf(last.tokenId) }
  }
  const operator = topic(by)
  if (units.length === 1) {
    return { topics: [topics.transferSingle, operator, ...parties], data: dataOf(first!.tokenId, first!.amount) }
  }
  const length = BigInt(units.length)
  const ids = units.map(({ tokenId }) => tokenId)
  const amounts = units.map(({ amount }) => amount)
  return {
    topics: [topics.transferBatch, operator, ...parties],
    data: dataOf(64n, 96n + 32n * length, length, ...ids, length, ...amounts),
  }
}

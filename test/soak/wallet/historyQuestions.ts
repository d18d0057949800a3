/** Questions of what was when: a balance, a supply, and who came and left between two blocks. */
import type { TrueStandard } from "../../support/judge/truth.ts"
import { dollar } from "../chain/scene.ts"
import { Learned } from "../compare.ts"
import type { State } from "../oracle.ts"
import type { Asking } from "../questions/asking.ts"
import type { ListQuestion } from "../questions/lists.ts"
import { dateOf, dollarsOf, onePrice, type Row, standardsOf, usdText } from "../records.ts"
import { balanceTouches, supplyTouches, type Touch } from "./touches.ts"

const shown = (amount: bigint): string => `${amount > 0n ? amount : 0n}`

/** A history of one chain, newest first or oldest first; its cursors name blocks. */
const history = (
  asking: Asking,
  path: string,
  values: Readonly<Record<string, string | undefined>>,
  touches: (state: State) => ReadonlyArray<Touch>,
  record: (touch: Touch, state: State) => object,
): ListQuestion => {
  const { random } = asking
  const [one, other] = [asking.block(), asking.block()].sort((a, b) => a - b)
  const range = {
    blockNumberFrom: random.chance(0.3) ? one : undefined,
    blockNumberTo: random.chance(0.3) ? other : undefined,
  }
  const sort = random.pick(["asc", "desc", undefined])
  return {
    ...asking.list(path, { ...values, ...range, sort }, false),
    signs: [sort === "asc" ? 1 : -1],
    namesBlocks: true,
    rows: ([state]) =>
      state === undefined
        ? []
        : touches(state)
            .filter(({ blockNumber }) => blockNumber >= (range.blockNumberFrom ?? 0))
            .filter(({ blockNumber }) => blockNumber <= (range.blockNumberTo ?? Number.MAX_SAFE_INTEGER))
            .map(
              (touch): Row => ({
                item: () => ({
                  chainId: state.chainId,
                  blockNumber: touch.blockNumber,
                  timestamp: timeOf(state, touch.blockNumber),
                  change: `${touch.after - touch.before}`,
                  transactions: touch.transactions,
                  ...record(touch, state),
                }),
                key: [touch.blockNumber],
              }),
            ),
  }
}

/** The node tells that of a block without a transfer: perhaps. */
const timeOf = (state: State, block: number): unknown => {
  const time = dateOf(state.blockAt(block).time)
  const hasRows = Object.values(state.rows).some((rows) => rows.some(({ blockNumber }) => blockNumber === block))
  return hasRows ? time : new Learned(time, undefined, false)
}

export const balances = (asking: Asking): ListQuestion => {
  const { random } = asking
  // Always named: a contract may be of another standard as well at any time, and is refused then.
  const standard: TrueStandard = random.pick(["erc20", "erc721", "erc1155"])
  const [token, holder] = [asking.contract(standard), asking.person()]
  const id = standard === "erc1155" && random.chance(0.5) ? BigInt(random.below(12)) : undefined
  const touches = (state: State): ReadonlyArray<Touch> =>
    standardsOf(state, token).includes(standard) ? balanceTouches(state, standard, token, holder, id) : []
  const path = `address/${asking.written(holder)}/tokens/${asking.written(token)}/balances`
  return history(asking, path, { standard, tokenId: id === undefined ? undefined : `${id}` }, touches, ({ after }) => ({
    address: holder,
    tokenAddress: token,
    standard,
    ...(id === undefined ? {} : { tokenId: `${id}` }),
    balance: shown(after),
    ...(token === dollar && standard === "erc20"
      ? { price: onePrice, valueUsd: usdText(dollarsOf(after > 0n ? after : 0n)) }
      : {}),
  }))
}

export const supplyHistory = (asking: Asking): ListQuestion => {
  const token = asking.contract("erc20")
  return history(
    asking,
    `erc20/${asking.written(token)}/supply/history`,
    {},
    (state) => supplyTouches(state, token),
    ({ after }) => ({ tokenAddress: token, totalSupply: shown(after) }),
  )
}

/** The sum of its changes is the change of supply: of the oracle's own too. */
export const holderChanges = (asking: Asking): ListQuestion => {
  const token = asking.contract("erc20")
  const to = asking.block()
  const from = asking.random.chance(0.7) ? asking.random.below(to + 1) : undefined
  const path = `erc20/${asking.written(token)}/holders/diff`
  return {
    ...asking.list(path, { blockNumberFrom: from, blockNumberTo: to }, false),
    signs: [1],
    block: to,
    rows: ([state]) => (state === undefined ? [] : changesOf(state, token, from, to)),
  }
}

const changesOf = (state: State, token: string, from: number | undefined, to: number): ReadonlyArray<Row> => {
  const then = from === undefined ? undefined : state.at(from).tokens.get(token)
  const now = state.at(to).tokens.get(token)
  const changes = [...(now?.balances ?? [])]
    .map(([holder, after]) => ({ holder, before: then?.balances.get(holder) ?? 0n, after }))
    .filter(({ before, after }) => before !== after)
  const sum = changes.reduce((all, { before, after }) => all + after - before, 0n)
  if (sum !== (now?.supply ?? 0n) - (then?.supply ?? 0n)) throw new Error(`the oracle's sums of ${token} differ`)
  return changes.map(({ holder, before, after }) => ({
    item: () => ({
      chainId: state.chainId,
      address: holder,
      kind: before <= 0n && after > 0n ? "entered" : before > 0n && after <= 0n ? "left" : "changed",
      balanceBefore: shown(before),
      balanceAfter: shown(after),
      change: `${after - before}`,
    }),
    key: [holder],
  }))
}

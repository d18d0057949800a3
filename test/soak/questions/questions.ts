/** The questions of the soak, a row each: how often it is asked, and what it asks with random parameters. */
import type { TrueStandard } from "../../support/judge/truth.ts"
import { sayingOf, trusted } from "../chain/scene.ts"
import { type State, standards } from "../oracle.ts"
import { holderRows, idRows, type Part, type Row, swapRow, tokenRecord, transferRow, unitRows } from "../records.ts"
import { balances, holderChanges, supplyHistory } from "../wallet/historyQuestions.ts"
import { type MomentQuestion, portfolioAt } from "../wallet/momentQuestions.ts"
import { search } from "../wallet/searchQuestions.ts"
import { portfolio, tokensOfMany, tokensOfOne } from "../wallet/walletQuestions.ts"
import { type Asking, prefix } from "./asking.ts"
import { compatQuestions } from "./compatQuestions.ts"
import type { ListQuestion } from "./lists.ts"
import { otherQuestions } from "./otherQuestions.ts"
import type { ValueQuestion } from "./values.ts"

export type Question = ListQuestion | ValueQuestion | MomentQuestion

type Ask = (asking: Asking) => Question

const fields = ["createdAt", "holdersCount", "transfers", "name", "marketCap"] as const
type Field = (typeof fields)[number]

/** Contracts of a list, by one of its fields. */
const tokens =
  (standard: TrueStandard, path: string, isListed: (address: string) => boolean = () => true): Ask =>
  (asking) => {
    const { random } = asking
    const given = random.chance(0.8) ? random.pick(fields.slice(0, standard === "erc20" ? 5 : 4)) : undefined
    const field: Field = given ?? (path === "top-erc20" ? "marketCap" : "createdAt")
    const direction = given === undefined ? undefined : random.pick(["asc", "desc", undefined])
    const down = direction !== "asc"
    const sort = given && { sort: direction === undefined ? given : `${given},${direction}` }
    const onlyTrusted = standard === "erc20" && random.chance(0.2)
    return {
      ...asking.list(path, { ...sort, trusted: onlyTrusted ? "true" : undefined }),
      signs: down ? [-1, 1, 1] : [1, -1, -1],
      learnedOrder: field === "name",
      rows: tokenRows(standard, field, (address) => isListed(address) && (!onlyTrusted || trusted.includes(address))),
    }
  }

const tokenRows =
  (standard: TrueStandard, field: Field, isListed: (address: string) => boolean = () => true): ListQuestion["rows"] =>
  (states) =>
    states.flatMap((state) =>
      [...state.firsts[standard].keys()].filter(isListed).map(
        (address): Row => ({
          item: () => tokenRecord(state, standard, address),
          key: [keyOf(state, standard, address, field), Number(state.chainId), address],
        }),
      ),
    )

const keyOf = (state: State, standard: TrueStandard, address: string, field: Field): Part => {
  if (field === "createdAt") return state.firsts[standard].get(address)!.time
  if (field === "transfers") return state.recent[standard].get(address)?.[0] ?? 0
  if (field === "name") return sayingOf(address).name ?? null
  // Nothing has a price here: then the number of holders decides.
  return tokenRecord(state, standard, address).holdersCount
}

/** All contracts of a chain, with all that is known of them. */
export const everyToken = (chainId: string): ReadonlyArray<ListQuestion> =>
  standards.map((standard) => ({
    kind: "list",
    url: `${prefix}/${chainId}/${standard}?limit=1000`,
    limit: 1000,
    count: false,
    chains: [chainId],
    signs: [-1, 1, 1],
    rows: tokenRows(standard, "createdAt"),
  }))

const transfers =
  (standard: TrueStandard): Ask =>
  (asking) => {
    const { random } = asking
    const some = (share: number, one: () => string) =>
      random.chance(share) ? Array.from({ length: random.chance(0.7) ? 1 : 1 + random.below(5) }, one) : undefined
    const filter = {
      tokenAddress: some(0.4, () => asking.contract(standard)),
      from: some(0.2, asking.person),
      to: some(0.2, asking.person),
      address: some(0.2, asking.person),
    }
    const tokenId =
      standard !== "erc20" && filter.tokenAddress?.length === 1 ? some(0.5, () => `${random.below(20)}`) : undefined
    const range = {
      blockNumberFrom: random.chance(0.15) ? asking.block() : undefined,
      blockNumberTo: random.chance(0.15) ? asking.block() : undefined,
    }
    if (range.blockNumberFrom !== undefined && range.blockNumberFrom > (range.blockNumberTo ?? Number.MAX_SAFE_INTEGER))
      range.blockNumberTo = range.blockNumberFrom
    const sort = random.pick(["asc", "desc", "timestamp,asc", undefined])
    const extras = ["transactionIndex", ...(standard === "erc1155" ? ["operator"] : [])]
    const include = random.chance(0.4) ? extras.filter((_, place) => place === 0 || random.chance(0.7)) : undefined
    const onlyTrusted = random.chance(0.1)
    const values = { ...filter, tokenId, ...range, sort, include, trusted: onlyTrusted ? "true" : undefined }
    const list = asking.list(`${standard}-transfers`, values)
    const isOne = (values: ReadonlyArray<string> | undefined, ...given: ReadonlyArray<string>) =>
      values === undefined || given.some((value) => values.includes(value))
    return {
      ...list,
      signs: Array.from({ length: list.many ? 5 : 3 }, () => (sort?.endsWith("asc") ? 1 : -1)),
      rows: (states) =>
        states.flatMap((state) =>
          state.rows[standard]
            .filter(
              (row) =>
                (!onlyTrusted || trusted.includes(row.token)) &&
                isOne(filter.tokenAddress, row.token) &&
                isOne(filter.from, row.from) &&
                isOne(filter.to, row.to) &&
                isOne(filter.address, row.from, row.to) &&
                isOne(tokenId, `${row.tokenId}`) &&
                row.blockNumber >= (range.blockNumberFrom ?? 0) &&
                row.blockNumber <= (range.blockNumberTo ?? Number.POSITIVE_INFINITY),
            )
            .map(transferRow(state, list.many, include)),
        ),
    }
  }

const swaps: Ask = (asking) => {
  const { random } = asking
  const some = () =>
    random.chance(0.3) ? Array.from({ length: 1 + random.below(2) }, () => asking.contract("erc20")) : undefined
  const filter = { token: some(), tokenIn: some(), tokenOut: some() }
  const sort = random.pick(["asc", "desc", undefined])
  const list = asking.list("erc20-swaps", { ...filter, sort })
  return {
    ...list,
    signs: Array.from({ length: list.many ? 4 : 2 }, () => (sort === "asc" ? 1 : -1)),
    rows: (states) =>
      states.flatMap((state) =>
        state.swaps
          .filter(
            ({ tokenIn, tokenOut }) =>
              (filter.token === undefined || [tokenIn, tokenOut].some((token) => filter.token!.includes(token))) &&
              (filter.tokenIn === undefined || filter.tokenIn.includes(tokenIn)) &&
              (filter.tokenOut === undefined || filter.tokenOut.includes(tokenOut)),
          )
          .map(swapRow(state, list.many)),
      ),
  }
}

/** A list of one contract of one chain, now or as of a block. */
const ofContract =
  (
    standard: TrueStandard,
    path: "holders" | "tokens",
    rows: (state: State, address: string) => ReadonlyArray<Row>,
    signs: ReadonlyArray<1 | -1>,
  ): Ask =>
  (asking) => {
    const address = asking.contract(standard)
    const block = asking.random.chance(0.5) ? asking.block() : undefined
    return {
      ...asking.list(`${standard}/${asking.written(address)}/${path}`, { blockNumber: block }, false),
      signs,
      rows: ([state]) => (state === undefined ? [] : rows(block === undefined ? state : state.at(block), address)),
      ...(block === undefined ? {} : { block }),
    }
  }

/** Those who hold so much, or are named; now and then with their ranks among all. */
const someHolders =
  (standard: TrueStandard): Ask =>
  (asking) => {
    const { random } = asking
    const token = asking.contract(standard)
    const block = random.chance(0.4) ? asking.block() : undefined
    const least = random.chance(0.6) ? (standard === "erc20" ? random.amount(80) : BigInt(random.below(5))) : undefined
    const people = random.chance(0.6) ? Array.from({ length: 1 + random.below(6) }, asking.person) : undefined
    const ranked = standard !== "erc1155" && block === undefined && random.chance(0.5)
    const values = { blockNumber: block, minBalance: least?.toString(), address: people }
    const path = `${standard}/${asking.written(token)}/holders`
    return {
      ...asking.list(path, { ...values, include: ranked ? "rank" : undefined }, false),
      signs: standard === "erc1155" ? [1, 1, 1] : [1, 1],
      rows: ([state]) => {
        if (state === undefined) return []
        const then = block === undefined ? state : state.at(block)
        const all = standard === "erc1155" ? unitRows(then, token) : holderRows(then, standard, token)
        return all
          .map((row, place) => (ranked ? { ...row, item: () => ({ ...Object(row.item()), rank: place + 1 }) } : row))
          .filter(({ key }) => least === undefined || -(key[0] as bigint) >= least)
          .filter(({ key }) => people === undefined || people.includes(key[1] as string))
      },
      ...(block === undefined ? {} : { block }),
    }
  }

type Questions = ReadonlyArray<readonly [weight: number, ask: Ask]>

export const contractQuestions: Questions = [
  [6, ofContract("erc20", "holders", (state, address) => holderRows(state, "erc20", address), [1, 1])],
  [5, ofContract("erc721", "holders", (state, address) => holderRows(state, "erc721", address), [1, 1])],
  [5, ofContract("erc1155", "holders", unitRows, [1, 1, 1])],
  [5, ofContract("erc721", "tokens", idRows, [1])],
]

/** Of wallets, and of what was when. */
export const walletQuestions: Questions = [
  ...standards.map((standard) => [2, someHolders(standard)] as const),
  [6, tokensOfOne],
  [4, portfolio],
  [5, portfolioAt],
  [6, balances],
  [4, supplyHistory],
  [5, holderChanges],
]

/** Lists of chains. */
export const listQuestions: Questions = [
  ...standards.map((standard) => [3, tokens(standard, standard)] as const),
  [2, tokens("erc20", "top-erc20", (address) => trusted.includes(address))],
  ...standards.map((standard) => [8, transfers(standard)] as const),
  [6, swaps],
  [3, tokensOfMany],
  [5, search],
]

export const questions: Questions = [
  ...listQuestions,
  ...contractQuestions,
  ...walletQuestions,
  ...compatQuestions,
  ...otherQuestions,
]

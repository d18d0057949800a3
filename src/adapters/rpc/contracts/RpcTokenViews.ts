/** The TokenViews port over JSON-RPC. */

import { Effect, Layer } from "effect"
import { addressAt } from "../../../domain/ingest/decode/abi.ts"
import type { Address } from "../../../model/primitives.ts"
import { TokenViews, type ViewQuestion } from "../../../ports/TokenViews.ts"
import type { RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { abiWord } from "../wire/abi.ts"
import { multicall3, type ViewCall } from "./multicall.ts"
import { makePinnedViews, type PinnedViews } from "./pinned.ts"
import type { BlockPin } from "./pinnedExchange.ts"
import { remembered } from "./remembered.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    TokenViews,
    Effect.map(RpcClients.RpcClients, (clients) => {
      const askerOf = RpcClients.byChain(clients, chains, ({ client, each }, { multicall3, nativeToken }) => {
        // One that does not have the block or its state is passed over for these questions, and for no others.
        const others = each.length > 1 ? each : []
        const views = [client, ...others].map((it) => makePinnedViews(it, multicall3))
        const ask = remembered((questions, at) => askTokens(views, questions, at, { nativeToken, multicall3 }))
        return { ask, perCall: views[0]!.perCall }
      })
      return TokenViews.of({
        ask: (chainId, questions, at) => askerOf(chainId).ask(questions, at),
        perCall: (chainId, blockNumber) => askerOf(chainId).perCall(blockNumber),
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Of the chain, as `RpcChain` has them. */
interface OwnContracts {
  readonly nativeToken?: Address | undefined
  readonly multicall3?: Address | undefined
}

/** Exported for tests, which bring views of their own: each is asked until one answers. */
export const askTokens = Effect.fn("RpcTokenViews.ask")(function* (
  views: ReadonlyArray<PinnedViews>,
  questions: ReadonlyArray<ViewQuestion>,
  at: BlockPin,
  contracts: OwnContracts = {},
) {
  const ask = (calls: ReadonlyArray<ViewCall>) => {
    const [first, ...others] = views.map((each) => each.ask(calls, at))
    return others.reduce((asked, other) => Effect.catch(asked, (error) => Effect.mapError(other, () => error)), first!)
  }
  const calls = questions.map((question) => nativeCallOf(question, contracts) ?? callOf(question))
  const data = [...(yield* ask(calls))]
  // Multicall3 is not there at that block: the token itself may tell.
  const open = questions.flatMap((question, index) =>
    numberOf(data[index]!) === undefined && nativeCallOf(question, contracts) !== undefined ? [index] : [],
  )
  if (open.length > 0) {
    const told = yield* ask(open.map((index) => callOf(questions[index]!)))
    for (const [place, index] of open.entries()) data[index] = told[place]!
  }
  return data.map((it, index) => (isOfAddress(questions[index]!) ? addressOf(it) : numberOf(it)))
})

const callOf = (question: ViewQuestion): ViewCall => ({ to: question.token, data: dataOf(question) })

/** What somebody has of the native currency: its token may not tell, as on zkSync. Asked of Multicall3, so that the same call proves the block. */
const nativeCallOf = (
  question: ViewQuestion,
  { nativeToken, multicall3: to = multicall3 }: OwnContracts,
): ViewCall | undefined =>
  question.of === "balance" && question.token === nativeToken
    ? { to, data: selectors.getEthBalance + abiWord(question.holder) }
    : undefined

const dataOf = (question: ViewQuestion): string => {
  switch (question.of) {
    case "supply":
      return selectors.totalSupply
    case "balance":
      return selectors.balanceOf + abiWord(question.holder)
    case "unit":
      return selectors.balanceOfId + abiWord(question.holder) + abiWord(question.tokenId)
    case "owner":
      return selectors.ownerOf + abiWord(question.tokenId)
    case "allowance":
      return selectors.allowance + abiWord(question.holder) + abiWord(question.spender)
    case "approved":
      return selectors.getApproved + abiWord(question.tokenId)
    case "operator":
      return selectors.isApprovedForAll + abiWord(question.holder) + abiWord(question.spender)
  }
}

/**
 * totalSupply(), balanceOf(address), balanceOf(address,uint256), ownerOf(uint256), allowance(address,address),
 * getApproved(uint256), isApprovedForAll(address,address), getEthBalance(address)
 */
const selectors = {
  totalSupply: "0x18160ddd",
  balanceOf: "0x70a08231",
  balanceOfId: "0x00fdd58e",
  ownerOf: "0x6352211e",
  allowance: "0xdd62ed3e",
  getApproved: "0x081812fc",
  isApprovedForAll: "0xe985e9c5",
  getEthBalance: "0x4d2301cc",
}

/** One word, whatever follows it. */
const numberOf = (data: string): bigint | undefined => (data.length < 66 ? undefined : BigInt(data.slice(0, 66)))

const isOfAddress = ({ of }: ViewQuestion): boolean => of === "owner" || of === "approved"

const addressOf = (data: string): bigint | undefined => {
  const address = addressAt(data)
  return address === undefined ? undefined : BigInt(address)
}

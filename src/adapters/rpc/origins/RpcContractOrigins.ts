/** The ContractOrigins port over JSON-RPC: nothing is said that the node did not prove. */
import { Effect, Layer, Option } from "effect"
import type { TokenOrigin } from "../../../model/token.ts"
import { ContractOrigins } from "../../../ports/ContractOrigins.ts"
import type { BornToken } from "../../../ports/Ledger.ts"
import type { RpcClient } from "../transport/client.ts"
import type { ChainClients, RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { findCreationBlocks } from "./creationBlock.ts"
import { creationsOf } from "./creations.ts"
import { codeCall, type Receipt, receiptCall } from "./originCalls.ts"

export type Born = Pick<BornToken, "address" | "firstBlock" | "firstTxHash" | "firstBlockHash">
export type Finder = (tokens: ReadonlyArray<Born>) => ReturnType<(typeof ContractOrigins)["Service"]["find"]>

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    ContractOrigins,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      const finderFor = RpcClients.byChain(clients, chains, finderOf)
      return ContractOrigins.of({ find: (chainId, tokens) => finderFor(chainId)(tokens) })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring clients of their own. What one node does not know another may. */
export const finderOf = ({ client, each }: Pick<ChainClients, "client" | "each">): Finder => {
  const search = searchOf(client)
  const others = each.length > 1 ? each.map(searchOf) : []
  return Effect.fn("RpcContractOrigins.find")(function* (tokens) {
    const found = [...(yield* search(tokens))]
    for (const [place, other] of others.entries()) {
      const open = [...found.keys()].filter((index) => found[index] === undefined)
      if (open.length === 0) break
      if (place === client.current()) continue
      const more = Option.getOrUndefined(yield* Effect.option(other(open.map((index) => tokens[index]!))))
      open.forEach((index, at) => {
        found[index] = more?.[at]
      })
    }
    return found
  })
}

/** Most contracts are made by the transaction or in the block of their first transfer: that is asked first. */
const searchOf = (client: RpcClient): Finder => {
  const creations = creationsOf(client)
  return Effect.fnUntraced(function* (tokens) {
    const found: Array<TokenOrigin | undefined> = tokens.map(() => undefined)
    const receipts = yield* client.batch(tokens.map(({ firstTxHash }) => receiptCall(firstTxHash)))
    const known = [...tokens.keys()].filter((index) => isOf(tokens[index]!, receipts[index]))
    const own = known.filter((index) => receipts[index]!.contract === tokens[index]!.address)
    const rest = known.filter((index) => !own.includes(index) && tokens[index]!.firstBlock > 0)
    const before = yield* client.batch(
      rest.map((index) => codeCall(tokens[index]!.address, tokens[index]!.firstBlock - 1)),
    )
    const older = rest.filter((_, place) => before[place] === true)
    const blocks = yield* findCreationBlocks(
      client,
      older.map((index) => ({ address: tokens[index]!.address, block: tokens[index]!.firstBlock - 1 })),
    )
    const madeAt = new Map(older.map((index, place) => [index, blocks[place]]))
    for (const index of own) madeAt.set(index, tokens[index]!.firstBlock)
    rest.forEach((index, place) => {
      // Also where the node does not know the state before: the transaction may prove it.
      if (before[place] !== true) madeAt.set(index, tokens[index]!.firstBlock)
    })
    const sought = [...madeAt].flatMap(([index, block]) => {
      const { address, firstBlock, firstTxHash } = tokens[index]!
      return block === undefined
        ? []
        : [{ index, address, block, ...(block === firstBlock ? { firstTxHash } : {}), proven: own.includes(index) }]
    })
    const origins = yield* creations.find(sought)
    sought.forEach(({ index }, place) => {
      found[index] = origins[place]
    })
    return found
  })
}

/** Whether it is of the very block that the ledger has: the node may be on another fork, which has the transaction too. */
const isOf = ({ firstBlock, firstBlockHash }: Born, receipt: Receipt | undefined): boolean =>
  receipt?.blockNumber === firstBlock && (firstBlockHash === undefined || receipt.blockHash === firstBlockHash)

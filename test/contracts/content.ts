/** Everything the read ports say of a chain, as plain data: for "these two stores hold the same". */
import { isReserved } from "../../src/domain/model/event.ts"
import type { ChainId } from "../../src/domain/model/primitives.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import type { TestChain } from "../support/testChain.ts"
import type { TestStore } from "./store.ts"

const page = { limit: 1000 }

/** Tokens, transfers, holders, and every balance and supply at every block of `chain` (tokens and accounts taken from it). */
export const contentOf = async (store: TestStore, chainId: ChainId, chain: TestChain) => {
  const movements = chain.blocks.flatMap((block) => block.movements)
  const tokens = [...new Set(movements.map((movement) => movement.token))].sort()
  const accounts = [...new Set(movements.flatMap(({ loser, gainer }) => [loser, gainer]))]
    .filter((account) => !isReserved(account))
    .sort()
  const blocks = chain.blocks.map(({ header }) => header.number)
  const tokenList = await store.run(
    TokenStore.use((s) =>
      s.listErc20({ chains: [chainId], sort: { field: "createdAt", direction: "desc" }, page, count: true }),
    ),
  )
  const transfers = await store.run(
    TransferStore.use((s) => s.listErc20({ chains: [chainId], filter: {}, direction: "asc", page, count: true })),
  )
  const perToken = await Promise.all(
    tokens.map(async (token) => {
      const holders = await store.run(HolderStore.use((s) => s.listErc20Holders({ chainId, token, page, count: true })))
      const holderCount = await store.run(HolderStore.use((s) => s.countErc20Holders(chainId, token)))
      const history = await Promise.all(
        [...blocks, undefined].map(async (block) => {
          const supply = await store.run(SupplyStore.use((s) => s.findErc20Supply(chainId, token, block)))
          const balances = await Promise.all(
            accounts.map((holder) =>
              store.run(HolderStore.use((s) => s.findErc20Balance(chainId, token, holder, block))),
            ),
          )
          return [supply.value, ...balances.map(({ value }) => value)]
        }),
      )
      return { token, holders: holders.value, holderCount: holderCount.value, history }
    }),
  )
  const { nodeHead: _, revision: __, ...asOf } = transfers.asOf[0] ?? {}
  return { asOf, tokens: tokenList.value, transfers: transfers.value, perToken }
}

/** Everything the read ports say of a chain, as plain data: for "these two stores hold the same". */
import { isReserved } from "../../src/model/event.ts"
import { type Address, type ChainId, zeroAddress } from "../../src/model/primitives.ts"
import { type Standard, standards } from "../../src/model/token.ts"
import { transferExtras } from "../../src/model/transfer.ts"
import { HolderStore } from "../../src/ports/HolderStore.ts"
import { LedgerCounts } from "../../src/ports/LedgerCounts.ts"
import { NftStore } from "../../src/ports/NftStore.ts"
import { SupplyStore } from "../../src/ports/SupplyStore.ts"
import { SwapStore } from "../../src/ports/SwapStore.ts"
import { TokenStore } from "../../src/ports/TokenStore.ts"
import { TransferStore } from "../../src/ports/TransferStore.ts"
import type { TestChain } from "../support/chain/testChain.ts"
import type { TestStore } from "./store.ts"

const page = { limit: 1000 }
const everything = { page: 1, offset: 1000 }

/** Tokens, transfers, swaps, holders, ids, and every balance and supply at every block of `chain` (tokens and accounts taken from it). */
export const contentOf = async (store: TestStore, chainId: ChainId, chain: TestChain) => {
  const movements = chain.blocks.flatMap((block) => block.movements)
  const nfts = chain.blocks.flatMap((block) => block.nfts)
  const tokens = [...new Set([...movements, ...nfts].map((movement) => movement.token))].sort()
  const accounts = [
    ...new Set([
      ...movements.flatMap(({ debit, credit }) => [debit, credit]),
      ...nfts.flatMap(({ from, to }) => [from, to]),
    ]),
  ]
    .filter((account): account is Address => !isReserved(account))
    .sort()
  const blocks = chain.blocks.map(({ header }) => header.number)
  const listOf = async (standard: Standard) => {
    const list = await store.run(
      TokenStore.use((s) =>
        s.list({ standard, chains: [chainId], sort: { field: "createdAt", direction: "desc" }, page, count: true }),
      ),
    )
    const transfers = await store.run(
      TransferStore.use((s) =>
        s.list({
          standard,
          chains: [chainId],
          filter: {},
          direction: "asc",
          page,
          count: true,
          include: transferExtras[standard],
        }),
      ),
    )
    return { asOf: transfers.asOf, list: list.value, transfers: transfers.value }
  }
  const perStandard = await Promise.all(standards.map(listOf))
  const perToken = await Promise.all(
    tokens.map(async (token) => {
      const held = await Promise.all(
        (["erc20", "erc721"] as const).map((standard) =>
          store.run(HolderStore.use((s) => s.list(standard, { chainId, token, page, count: true }))),
        ),
      )
      const units = await store.run(HolderStore.use((s) => s.listErc1155({ chainId, token, page, count: true })))
      const ids = await store.run(NftStore.use((s) => s.list({ chainId, token, page, count: true })))
      const holderCount = await store.run(HolderStore.use((s) => s.count(chainId, token)))
      const window = await store.run(HolderStore.use((s) => s.listWindow(chainId, token, everything)))
      const inventories = await Promise.all(
        accounts.map((owner) =>
          store.run(NftStore.use((s) => s.listInventory({ chainId, token, owner, window: everything }))),
        ),
      )
      const history = await Promise.all(
        [...blocks, undefined].map(async (block) => {
          const supply = await store.run(SupplyStore.use((s) => s.find(chainId, token, block)))
          const balances = await Promise.all(
            accounts.map((holder) => store.run(HolderStore.use((s) => s.findBalance(chainId, token, holder, block)))),
          )
          return [supply.value, ...balances.map(({ value }) => value)]
        }),
      )
      return {
        token,
        holders: held.map(({ value }) => value),
        units: units.value,
        ids: ids.value,
        holderCount: holderCount.value,
        window: window.value,
        inventories: inventories.map(({ value }) => value),
        history,
      }
    }),
  )
  const holdings = await Promise.all(
    [zeroAddress, ...accounts].flatMap((account) =>
      (["erc20", "erc721"] as const).map((standard) =>
        store.run(HolderStore.use((s) => s.listHoldings(standard, { chainId, holder: account, window: everything }))),
      ),
    ),
  )
  const swaps = await store.run(
    SwapStore.use((s) => s.list({ chains: [chainId], filter: {}, direction: "asc", page, count: true })),
  )
  const counts = await store.run(LedgerCounts.use((s) => s.list([chainId])))
  const { nodeHead: _, revision: __, figures: ___, rewrites: ____, ...asOf } = perStandard[0]?.asOf[0] ?? {}
  return {
    asOf,
    perStandard: perStandard.map(({ list, transfers }) => ({ list, transfers })),
    perToken,
    swaps: swaps.value,
    counts: counts.map(({ tokens, transfers, swaps }) => ({ tokens, transfers, swaps })),
    holdings: holdings.map(({ value }) => value),
  }
}

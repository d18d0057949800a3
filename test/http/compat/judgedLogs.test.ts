/** What a node's logs are held against, where the ledger cannot look for it in time. */
import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { searchLogs } from "../../../src/domain/logs/searchLogs.ts"
import { QueryTooSlow } from "../../../src/model/errors.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { LedgerLogs } from "../../../src/ports/LedgerLogs.ts"
import { LogSearch } from "../../../src/ports/LogSearch.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { ann, gold } from "../world.ts"

test("rows that lie too far apart to be looked for are no fault of the node's: its answer is given", async () => {
  const asked: Array<unknown> = []
  const layers = Layer.mergeAll(
    Layer.mock(LogSearch, { find: () => Effect.succeed({ logs: [], searchedTo: 9 }) }),
    Layer.mock(LedgerLogs, {}),
    Layer.mock(TransferStore, {
      list: ({ standard, filter }) => {
        asked.push([standard, filter?.from])
        return Effect.fail(new QueryTooSlow({ message: "too many blocks to look through" }))
      },
    }),
  )
  const topics = [
    "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
    `0x${ann.slice(2).padStart(64, "0")}`,
  ]
  const filter = { address: gold, topics, match: "all", fromBlock: 0, toBlock: 9 } as never
  const found = Effect.runPromise(Effect.provide(searchLogs(ChainId.make("1"), filter, { skip: 0, take: 10 }), layers))
  expect(await found).toEqual({ logs: [], searchedTo: 9 })
  expect(asked).toEqual([
    ["erc20", [ann]],
    ["erc721", [ann]],
  ])
})

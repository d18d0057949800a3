/** follow over HTTP beside a node that leaves out what a chain adds beside its transactions, in neither root nor bloom: the node that has it is believed. */
import { expect, test } from "bun:test"
import { receiptsRootOf } from "../../../src/adapters/rpc/chain/receiptsRoot.ts"
import { TransferStore } from "../../../src/ports/TransferStore.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { bloomOf, chainOf, replayOf, withReceipts } from "../../support/nodes/replayChain.ts"
import { type ReplayBlock, startReplayNode } from "../../support/nodes/replayNode.ts"
import { startReplay } from "../replay.ts"
import { token } from "../traffic.ts"
import { chainId } from "../world.ts"

const chain = new TestChain()
for (let block = 0; block < 120; block++) {
  chain.block([0, 1, 2].map((place) => transfer(token(place), address(0xa0 + block), address(0xa1 + block), 5n)))
}
const plain = withReceipts(replayOf(chainId, chain))

/** The first transaction of each fifth block is a system's. `isWhole`: the node shows it. */
const toldBy = (isWhole: boolean) =>
  chainOf(
    chainId,
    chain.blocks.map(({ header: { number } }): ReplayBlock => {
      const block = plain.find(number)!
      if (number % 5 > 0) return block
      const [first, ...others] = block.receipts
      const shown = isWhole ? [{ ...first!, cumulativeGasUsed: "0x0" }, ...others] : others
      const header = {
        ...block.header,
        receiptsRoot: receiptsRootOf(others),
        logsBloom: bloomOf(others.flatMap(({ logs }) => logs)),
        transactions: shown.map(({ transactionHash }) => transactionHash),
      }

      return { number, header, receipts: shown }
    }),
  )
const [whole, lacking] = [toldBy(true), toldBy(false)]

for (const receipts of [true, false]) {
  for (const [name, told] of [
    ["second", [lacking, whole]],
    ["first", [whole, lacking]],
  ] as const) {
    test.concurrent(`one that has it and is asked ${name}${receipts ? "" : ", RECEIPTS=off"}`, async () => {
      const nodes = told.map((it) => startReplayNode(it))
      const urls = nodes.map(({ url }) => url)
      const replay = await startReplay({ timeoutMs: 10_000, urls, receipts, settings: { addsLogs: true } })
      try {
        await replay.until(({ indexedBlock, problem }) => indexedBlock === chain.nextBlock - 1 && problem === undefined)
        const page = { limit: 1000 }
        const listed = await replay.store.run(
          TransferStore.use((it) =>
            it.list({ standard: "erc20", chains: [chainId], filter: {}, direction: "asc", page, count: false }),
          ),
        )
        expect(listed.value.items.length).toBe(3 * chain.nextBlock)
      } finally {
        await replay.stop()
        await Promise.all(nodes.map(({ stop }) => stop()))
      }
    })
  }
}

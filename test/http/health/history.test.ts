/** What `/ready` and `/metrics` say of a history from elsewhere. */
import { expect, test } from "bun:test"
import type { HistoryStatus } from "../../../src/ports/SyncStatus.ts"
import { startService, syncStatus } from "../support.ts"

const history: HistoryStatus = {
  source: "https://portal.example",
  isUsed: false,
  left: "https://portal.example: it has blocks 0 to 99",
  logs: { history: 4000, node: 7 },
  blocks: { history: 100, node: 3 },
  bytes: 123_456,
  compared: 80,
}

test("/ready says where blocks come from and why not", async () => {
  const service = await startService({ status: [syncStatus("1"), syncStatus("10", { history })] })
  try {
    const { body } = await service.get("/ready")
    expect(body.chains.map((chain: { history?: unknown }) => chain.history)).toEqual([
      undefined,
      {
        source: "https://portal.example",
        used: false,
        left: "https://portal.example: it has blocks 0 to 99",
        blocks: 100,
        blocksOfNode: 3,
        blocksCompared: 80,
      },
    ])
  } finally {
    await service.close()
  }
})

test("/metrics count by source, for chains that have one", async () => {
  const service = await startService({ status: [syncStatus("1"), syncStatus("10", { history })] })
  try {
    const text = await (await service.fetch("/metrics")).text()
    expect(text.split("\n").filter((line) => line.startsWith("cowry_history"))).toEqual([
      'cowry_history_used{chain="10"} 0',
      'cowry_history_logs_total{chain="10",source="history"} 4000',
      'cowry_history_logs_total{chain="10",source="node"} 7',
      'cowry_history_blocks_total{chain="10",source="history"} 100',
      'cowry_history_blocks_total{chain="10",source="node"} 3',
      'cowry_history_bytes_total{chain="10"} 123456',
      'cowry_history_compared_blocks_total{chain="10"} 80',
    ])
  } finally {
    await service.close()
  }
})

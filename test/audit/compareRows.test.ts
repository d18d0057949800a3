/** What the ledger lacks of a contract's logs: nothing of ranges that found no room in their block, and nothing is in doubt of those that an older version stored. */
import { expect, test } from "bun:test"
import { compareRows, rowsOfLogs } from "../../src/domain/audit/missing/compareRows.ts"
import { contractsOf } from "../../src/domain/audit/missing/healContract.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { StoredRow } from "../../src/ports/AuditStore.ts"
import { address, consecutiveTransfer, nftTransfer, TestChain } from "../support/chain/testChain.ts"

const [token, zero, alice] = [0xc, 0, 1].map((number) => address(number))
const contracts = contractsOf({ chainId: ChainId.make("1"), wrappedNative: [] })
/** A block with so many ranges of 5,000 ids, and one transfer behind them. */
const logsOf = (ranges: number) =>
  new TestChain().block([
    ...Array.from({ length: ranges }, (_, place) =>
      consecutiveTransfer(token!, zero!, alice!, BigInt(5000 * place), BigInt(5000 * place + 4999)),
    ),
    nftTransfer(token!, zero!, alice!, 10n ** 9n),
  ]).blocks[0]!.logs
const leftOut = (logIndex: number): StoredRow => ({
  ...{ kind: "withoutRoom", blockNumber: 0, logIndex, sub: 0 },
  ...{ from: token!, to: token!, tokenId: 0n, amount: 0n },
})

test("ranges that are left out are not lacking, whatever room they had alone; what else there is of the block is", () => {
  const logs = logsOf(2)
  expect(compareRows(logs, [leftOut(0), leftOut(1)], contracts)).toEqual({ missing: [logs[2]!], surplus: 0 })
  expect(compareRows(logs, [], contracts).missing).toEqual([...logs])
  const many = logsOf(41)
  expect(compareRows(many, [], contracts)).toEqual({ missing: [many[41]!], surplus: 0 })
})

test("what an older version stored of more than have room is nothing that no node gives", () => {
  const logs = logsOf(41)
  const stored = logs.flatMap((log) => rowsOfLogs([log], contracts))
  expect(stored).toHaveLength(41 * 5000 + 1)
  expect(compareRows(logs, stored, contracts)).toEqual({ missing: [], surplus: 0 })
})

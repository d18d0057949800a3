/** When the ledger's logs are all there are: by signature, contract and blocks. */
import { expect, test } from "bun:test"
import { approvalTopics, topics } from "../../src/domain/ingest/decode/topics.ts"
import { isCovered } from "../../src/domain/logs/ledgerLogs.ts"
import type { LedgerLogFilter, LogCoverage } from "../../src/ports/LedgerLogs.ts"
import { address } from "../support/chain/testChain.ts"

const [weth, coin] = [address(1), address(2)]
const coverage: LogCoverage = { fromBlock: 10, wrappedNative: [weth], approvals: false }
const head = { blockNumber: 100, isNewest: true }

test.each<[string, Partial<LedgerLogFilter>, Partial<LogCoverage>, Partial<typeof head>, boolean]>([
  ["from the first block on, to the head", {}, {}, {}, true],
  ["the last block", { fromBlock: 100, toBlock: 100 }, {}, {}, true],
  ["a block before the first", { fromBlock: 9 }, {}, {}, false],
  ["a block above the head", { toBlock: 101 }, {}, {}, false],
  ["latest, of a ledger that is behind", {}, {}, { isNewest: false }, false],
  ["known blocks, of a ledger that is behind", { toBlock: 100 }, {}, { isNewest: false }, true],
  ["approvals that are not stored", { signature: approvalTopics.approval }, {}, {}, false],
  ["approvals that are", { signature: approvalTopics.approvalForAll }, { approvals: true }, {}, true],
  ["a Deposit of wrapped native", { signature: topics.deposit, address: weth }, {}, {}, true],
  ["a Deposit of another contract", { signature: topics.deposit, address: coin }, {}, {}, false],
  ["a Withdrawal of whomever", { signature: topics.withdrawal }, {}, {}, false],
  ["a token that is followed", { address: coin }, { tokens: [coin] }, {}, true],
  ["a token that is not", { address: weth }, { tokens: [coin] }, {}, false],
  ["all tokens where some are followed", {}, { tokens: [coin] }, {}, false],
])("%s", (_, filter, more, at, wanted) => {
  const asked = { signature: topics.transfer, topics: [], match: "all", fromBlock: 10, ...filter } as const
  expect(isCovered(asked, { ...coverage, ...more }, { ...head, ...at })).toBe(wanted)
})

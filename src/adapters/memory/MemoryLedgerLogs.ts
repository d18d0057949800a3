/** The LedgerLogs port in memory. */
import { Effect, Layer } from "effect"
import { logOfEvent } from "../../domain/ingest/decode/eventLog.ts"
import type { TokenEvent } from "../../model/event.ts"
import { addressOfHex, type ChainId } from "../../model/primitives.ts"
import { type LedgerLog, type LedgerLogFilter, LedgerLogs } from "../../ports/LedgerLogs.ts"
import { type FeedRow, type MemoryChain, MemoryChains, snapshotOf, storedChains } from "./state.ts"

export const layer = Layer.effect(
  LedgerLogs,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    return LedgerLogs.of({
      find: (chainId: ChainId, filter, { skip, take }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const [chain] = stored
          if (chain === undefined) return snapshotOf(stored, {})
          const { firstBlock, wrappedNative, approvals = false, tokens } = chain.settings
          const logs = logsOf(chain)
            .filter((log) => isAsked(log, filter))
            .sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex)
          return snapshotOf(stored, {
            coverage: {
              fromBlock: firstBlock,
              wrappedNative: wrappedNative.map((it) => addressOfHex(it.toLowerCase())),
              approvals,
              ...(tokens && { tokens: tokens.map((it) => addressOfHex(it.toLowerCase())) }),
            },
            logs: logs.slice(skip, skip + take),
          })
        }),
    })
  }),
)

type Row = Pick<LedgerLog, "blockNumber" | "logIndex" | "txHash"> & {
  readonly time: number
  readonly txIndex?: number | undefined
}

const logsOf = (chain: MemoryChain): ReadonlyArray<LedgerLog> => {
  const hashes = new Map(chain.headers.map(({ number, hash }) => [number, hash]))
  const placed = ({ blockNumber, logIndex, txHash, txIndex }: Row) => {
    const blockHash = hashes.get(blockNumber)
    return {
      ...{ blockNumber, logIndex, txHash },
      ...(txIndex === undefined ? {} : { txIndex }),
      ...(blockHash && { blockHash }),
    }
  }
  const odd = new Set(chain.oddLogs.map(placeOf))
  const told = (address: LedgerLog["address"], row: Row, event: TokenEvent): ReadonlyArray<LedgerLog> => {
    const written = odd.has(placeOf(row)) ? undefined : logOfEvent(event)
    return written === undefined ? [] : [{ address, ...written, ...placed(row), time: row.time }]
  }
  const transfers = [...Map.groupBy(chain.transfers, placeOf).values()]
  return [
    ...chain.oddLogs.map((log) => ({
      address: log.contract,
      topics: log.topics,
      data: log.data || "0x",
      ...placed(log),
      time: log.time,
    })),
    ...transfers.flatMap((rows) => told(rows[0]!.token, rows[0]!, transferOf(rows))),
    ...chain.approvals.flatMap((row) => told(row.token, row, { kind: "approval", ...row })),
    ...chain.wraps.flatMap((row) => {
      const isDeposit = row.from === "0x"
      const holder = addressOfHex(isDeposit ? row.to : row.from)
      return told(row.token, row, { kind: isDeposit ? "deposit" : "withdrawal", holder, amount: row.amount })
    }),
  ]
}

const placeOf = ({ blockNumber, logIndex }: { readonly blockNumber: number; readonly logIndex: number }): string =>
  `${blockNumber} ${logIndex}`

/** The rows of one place. */
const transferOf = (rows: ReadonlyArray<FeedRow>): TokenEvent => {
  const [first] = rows
  const { from, to, amount } = first!
  if (first!.standard === "erc20") return { kind: "erc20Transfer", from, to, amount }
  const units = rows
    .toSorted((a, b) => a.sub - b.sub)
    .map((row) => ({ tokenId: "tokenId" in row ? row.tokenId : 0n, amount: row.amount }))
  const operator = "operator" in first! ? first.operator : undefined
  return { kind: "nftTransfer", standard: first!.standard, from, to, ...(operator && { operator }), units }
}

const isAsked = (
  log: LedgerLog,
  { signature, address, topics, match, fromBlock, toBlock }: LedgerLogFilter,
): boolean => {
  const asked = topics.flatMap((topic, place) => (topic === undefined ? [] : [log.topics[place + 1] === topic]))
  return (
    log.topics[0] === signature &&
    (address === undefined || log.address === address) &&
    log.blockNumber >= fromBlock &&
    log.blockNumber <= (toBlock ?? log.blockNumber) &&
    (match === "all" || asked.length === 0 ? asked.every(Boolean) : asked.some(Boolean))
  )
}

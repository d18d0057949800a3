/** Transfers with the columns of their transactions, by page and offset. */
import { Effect } from "effect"
import type { AsOf } from "../../model/block.ts"
import type { ChainId } from "../../model/primitives.ts"
import type { Standard } from "../../model/token.ts"
import type { CompatTransfers } from "../../model/transactions/compatTransfers.ts"
import { functionNameOf } from "../../model/transactions/functionNames.ts"
import type { TransactionFacts } from "../../model/transactions/transaction.ts"
import type { Erc20Transfer, TransferFilter, TransferRecords } from "../../model/transfer.ts"
import type { Window } from "../../ports/HolderStore.ts"
import { type InWindow, TransferStore } from "../../ports/TransferStore.ts"
import { findTransactionFacts, type KnownTransaction } from "./transactionFacts.ts"

export interface CompatTransfersQuery<S extends Standard = Standard> {
  readonly standard: S
  readonly chainId: ChainId
  readonly filter: TransferFilter
  readonly direction: "asc" | "desc"
  readonly window: Window
}

/** Exactly `offset` rows as long as there are so many. Fails where the columns cannot be had: they are never made up. */
export const listCompatTransfers = Effect.fnUntraced(function* <S extends Standard>(query: CompatTransfersQuery<S>) {
  const { standard, chainId, filter, direction, window } = query
  const store = yield* TransferStore
  const { asOf, value } = yield* store.list({
    standard,
    chains: [chainId],
    filter,
    direction,
    page: { limit: window.offset },
    skip: (window.page - 1) * window.offset,
    count: false,
    include: ["transactionIndex", "blockHash"],
  })
  const items = value.items as ReadonlyArray<Row>
  if (items.length === 0) return { asOf, value: [], ofNode: false }
  const facts = yield* findTransactionFacts(chainId, asOf, items.map(transactionOf))
  const rows = items.map((row) => rowOf(standard, row, facts.get(row.txHash)!, asOf[0]!))
  return { asOf, value: rows, ofNode: true }
})

type Row = TransferRecords[Standard] & InWindow

const transactionOf = ({ txHash, blockNumber, blockHash, transactionIndex }: Row): KnownTransaction => ({
  hash: txHash,
  blockNumber,
  ...(blockHash === undefined ? {} : { blockHash }),
  ...(transactionIndex === undefined ? {} : { index: transactionIndex }),
})

/** The order of the columns is Etherscan's. */
const rowOf = <S extends Standard>(standard: S, row: Row, facts: TransactionFacts, asOf: AsOf): CompatTransfers[S] => {
  const record = {
    blockNumber: String(row.blockNumber),
    timeStamp: String(Date.parse(row.timestamp) / 1000),
    hash: row.txHash,
    nonce: facts.nonce,
    blockHash: facts.blockHash,
    from: row.from,
    contractAddress: row.tokenAddress,
    to: row.to,
    ...movedOf(standard, row),
    tokenName: row.tokenName ?? "",
    tokenSymbol: row.tokenSymbol ?? "",
    ...(standard === "erc1155" ? {} : { tokenDecimal: String((row as Erc20Transfer).tokenDecimals ?? 0) }),
    transactionIndex: String(facts.index),
    gas: facts.gas,
    gasPrice: facts.gasPrice,
    gasUsed: facts.gasUsed,
    cumulativeGasUsed: facts.cumulativeGasUsed,
    input: "deprecated",
    methodId: facts.methodId,
    functionName: functionNameOf(facts.methodId),
    confirmations: String(asOf.blockNumber - row.blockNumber + 1),
  }
  return record as unknown as CompatTransfers[S]
}

/** What moved, in the columns of the standard. */
const movedOf = (standard: Standard, row: Row) => {
  const amount = "amount" in row ? { amount: row.amount } : { amount: "1" }
  const tokenID = "tokenId" in row ? row.tokenId : ""
  if (standard === "erc20") return { value: amount.amount }
  return standard === "erc721" ? { tokenID } : { tokenID, tokenValue: amount.amount }
}

/** The call of a block's receipts near the head, and how they are judged. */
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import { isRateLimit, isUnknownMethod } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { hashOf, Malformed, quote } from "../wire/shapes.ts"
import { provenLogs, transactionsOf } from "./receiptLogs.ts"
import type { Told } from "./receiptsToldBy.ts"
import { isZeros, type ReceiptsVerifier } from "./receiptsVerifier.ts"

type Answer = Omit<Told, "node"> | "unserved"

const nothingKnown = { verdict: { isDoubtful: false } }

export const receiptsCallOf =
  (verifier: ReceiptsVerifier, isWanted: (log: unknown) => boolean) =>
  ({ hash, number, receipts: mark }: SourceHeader): RpcCall<Answer> => ({
    method: "eth_getBlockReceipts",
    params: [quantity(number)],
    read: (result) => {
      if (!Array.isArray(result)) throw new Malformed(`expected a list, got ${quote(result)}`, "receipts")
      if (mark === undefined) return nothingKnown
      // Of another fork, or nothing: whoever answered does not have this block. Some blocks without logs have none.
      if (result.length === 0 && !isZeros(mark.bloom)) {
        throw new Malformed(`expected those of ${mark.count} transactions, got none`, "receipts")
      }
      const other = result.find((receipt) => hashOf(Object(receipt).blockHash, "blockHash") !== hash)
      if (other !== undefined) {
        throw new Malformed(`expected those of block ${hash}, got one of ${quote(Object(other).blockHash)}`, "receipts")
      }
      const verdict = verifier.verify(result, mark)
      if (!("proven" in verdict)) return { verdict }
      const { first, count } = verdict.proven
      const proven = result.slice(first, first + count)
      return {
        verdict,
        proof: {
          ...provenLogs(proven, isWanted, { number, hash }),
          transactions: transactionsOf(proven, first),
          isOrdered: verdict.isOrdered,
        },
      }
    },
    // Nothing else means that there are none: what fails may be had later, or elsewhere.
    readFault: (fault) =>
      fault.kind === "answer" && isUnknownMethod(fault) && !isRateLimit(fault) ? { value: "unserved" } : undefined,
  })

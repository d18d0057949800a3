/** Approval and ApprovalForAll → what an owner allows whom, by the shape of the event. Pure; guesses nothing. */
import type { Log } from "../../../model/block.ts"
import type { TokenEvent } from "../../../model/event.ts"
import { addressAt, isWord } from "./abi.ts"
import { approvalTopics } from "./topics.ts"

const malformed: TokenEvent = { kind: "malformed" }

/** Undefined for a log that is no approval. */
export const decodeApproval = (log: Log): TokenEvent | undefined => {
  switch (log.topics[0]) {
    case approvalTopics.approval:
      return decodeOne(log)
    case approvalTopics.approvalForAll:
      return decodeForAll(log)
    default:
      return undefined
  }
}

/** An allowance has its amount in the data, an id is a topic. */
const decodeOne = ({ topics: [, first, second, id], topics: { length }, data }: Log): TokenEvent => {
  const [owner, spender] = [addressAt(first), addressAt(second)]
  if (owner === undefined || spender === undefined) return malformed
  const parties = { kind: "approval", owner, spender } as const
  if (length === 3 && data.length === 66) return { ...parties, of: "amount", tokenId: 0n, amount: BigInt(data) }
  const isOfId = length === 4 && (data === "0x" || data === "") && isWord(id!)
  return isOfId ? { ...parties, of: "tokenId", tokenId: BigInt(id!), amount: 1n } : malformed
}

/** A boolean is 0 or 1; anything else is none. */
const decodeForAll = ({ topics: [, first, second], topics: { length }, data }: Log): TokenEvent => {
  const [owner, spender] = [addressAt(first), addressAt(second)]
  if (length !== 3 || data.length !== 66 || owner === undefined || spender === undefined) return malformed
  const amount = BigInt(data)
  if (amount > 1n) return malformed
  return {
    kind: "approval",
    of: "operator",
    owner,
    spender,
    tokenId: 0n,
    amount,
  }
}

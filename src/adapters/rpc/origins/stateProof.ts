/** Whether a node truly knows the state before a block, or only says something: a pruned one may answer with nothing, or with the newest state. */
import { Effect } from "effect"
import type { Address } from "../../../model/primitives.ts"
import type { RpcClient } from "../transport/client.ts"
import { type Block, codeCall, nonceCall, type Transaction, wealthCall } from "./originCalls.ts"

/** Senders that are asked about. */
const mostWitnesses = 3

/**
 * The block made the contract: there was no code before it and there is after it, said in one answer with the nonce
 * that a sender of the block must have had before it. "No" also where nobody can bear witness.
 */
export const isProven = Effect.fnUntraced(function* (
  client: RpcClient,
  address: Address,
  { number, transactions }: Block,
) {
  const witnesses = witnessesOf(transactions)
  const { values, whole } = yield* client.together<unknown>([
    codeCall(address, number - 1),
    codeCall(address, number),
    ...witnesses.map(({ from }) => nonceCall(from, number - 1)),
    ...witnesses.map(({ from }) => wealthCall(from, number - 1)),
  ])
  const [before, after, ...rest] = values
  const nonces = rest.slice(0, witnesses.length)
  const wealth = rest.slice(witnesses.length)
  if (!whole || before !== false || after !== true) return false
  // A nonce of zero is also what a node says that knows nothing.
  return witnesses.some(({ nonce }, place) => nonces[place] === nonce && (nonce > 0 || wealth[place] === true))
})

/** Senders by their first transaction of the block, those with the highest nonce first. */
const witnessesOf = (transactions: ReadonlyArray<Transaction>) => {
  const first = new Map<Address, number>()
  for (const { sender } of transactions) {
    if (sender !== undefined && !first.has(sender.address)) first.set(sender.address, sender.nonce)
  }
  return [...first]
    .map(([from, nonce]) => ({ from, nonce }))
    .sort((a, b) => b.nonce - a.nonce)
    .slice(0, mostWitnesses)
}

/** A caller's call: which of a node's faults are its answer, and which make the next node be asked. */
import { isNestedDeeper } from "../../../model/outside/nesting.ts"
import type { NodeAnswer, NodeRefusal } from "../../../ports/ChainNode.ts"
import { keccak256 } from "../hashing/keccak.ts"
import type { RpcCall } from "../transport/answers.ts"
import { isPruned, isRateLimit, isUnknownMethod, type RpcFault } from "../transport/fault.ts"

/** Characters of an answer. A block with all its transactions takes up to some millions. */
const mostLength = 16 * 1024 * 1024
/** A trace is as deep as its calls, of which the EVM allows 1,024 in one another. What is deeper by far cannot be written. */
const mostNested = 8192

/** A transaction that a node may have taken before another one refused it: it is to be looked for. */
export class MaybeTaken {
  constructor(
    readonly hash: string,
    readonly refusal: NodeAnswer,
  ) {}
}

/** `nodes`: how many can be asked. */
export const passedCall = (
  { method, params }: Pick<RpcCall<unknown>, "method" | "params">,
  nodes: number,
): RpcCall<NodeAnswer | MaybeTaken> => {
  let tries = 0
  return {
    method,
    params,
    read: (result) => {
      if (isNestedDeeper(result, mostNested)) return tooDeep
      return lengthOf(result) > mostLength ? tooLarge : { result }
    },
    readFault: (fault) => {
      const before = tries++
      if (!isRefusal(fault)) return undefined
      if (method === "eth_sendRawTransaction" && before > 0 && !hasBlobs(String(params[0]))) {
        const hash = hashOf(String(params[0]))
        // The node that did not answer in time had taken it.
        if (knownAlready.test(fault.message)) return { value: { result: hash } }
        // It is in a block by now, or another one with its nonce is.
        if (nonceIsSpent.test(fault.message)) return { value: new MaybeTaken(hash, { error: refusalOf(fault) }) }
      }
      const mayDiffer = isPruned(fault) || isUnknownMethod(fault)
      return mayDiffer && nodes > 1 ? undefined : { value: { error: refusalOf(fault) } }
    },
    lastResort: (fault, _, last) => (last && isRefusal(fault) ? { value: { error: refusalOf(fault) } } : undefined),
  }
}

const isRefusal = (fault: RpcFault): boolean => fault.kind === "answer" && !isRateLimit(fault)

/** Whether the node has the transaction with this hash, in a block or waiting. */
export const transactionCall = (hash: string): RpcCall<boolean> => ({
  method: "eth_getTransactionByHash",
  params: [hash],
  read: (result) => String(Object(result).hash).toLowerCase() === hash,
})

/** Of this very transaction: one that has its nonce alone is another. */
const knownAlready =
  /already ?known|already imported|known transaction|existing tx with same hash|(?:tx|transaction) (?:is )?already (?:exists|in)\b/i
const nonceIsSpent = /nonce (?:is )?too low|OldNonce/i

/** It is sent with what its hash is not of. */
const hasBlobs = (raw: string): boolean => /^0x03/i.test(raw)

const hashOf = (raw: string): string => `0x${Buffer.from(keccak256(Buffer.from(raw.slice(2), "hex"))).toString("hex")}`

const refusalOf = ({ code = -32000, message, data }: RpcFault): NodeRefusal => ({
  code,
  message,
  ...(data !== undefined && { data }),
})

const lengthOf = (result: unknown): number =>
  typeof result === "string" ? result.length : (JSON.stringify(result)?.length ?? 0)

const tooLarge: NodeAnswer = { error: { code: -32000, message: `the answer is longer than ${mostLength} characters` } }
const tooDeep: NodeAnswer = { error: { code: -32000, message: `the answer is nested more than ${mostNested} deep` } }

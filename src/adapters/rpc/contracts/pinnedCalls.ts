/** The calls of views after one very block, and what nodes say where there is no answer. Pure. */
import type { SourceHeader } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import { isContractFault, isOutOfGas, isPruned, isRateLimit, type RpcFault } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { wordsOf } from "../wire/kept.ts"
import { bytesOf, headerOf } from "../wire/shapes.ts"
import type { ViewCall } from "./multicall.ts"

/** What a call came to that has no answer. */
type Refusal = "by number" | "pruned" | "absent" | "starved" | "failed"
export type Answer = { readonly data: string } | Refusal

/** Without `to`, `data` is the code of a contract that is made, and the answer what it says. */
export interface Spent extends Partial<Pick<ViewCall, "to">>, Pick<ViewCall, "data"> {
  readonly gas: number
  /** All of the answer is kept: default what `wordsOf` keeps. */
  readonly isKeptWhole?: boolean
}

export const viewCall = (
  { gas, isKeptWhole = false, ...call }: Spent,
  block: unknown,
  byHash: boolean,
): RpcCall<Answer> => ({
  method: "eth_call",
  params: [{ ...call, gas: quantity(gas) }, block],
  read: (result) => {
    const data = bytesOf(result, "eth_call")
    return { data: isKeptWhole ? data : wordsOf(data) }
  },
  readFault: (fault) => {
    const refusal = refusalOf(fault, byHash)
    return refusal === undefined ? undefined : { value: refusal }
  },
})

const refusalOf = (fault: RpcFault, byHash: boolean): Refusal | undefined => {
  if (fault.kind !== "answer" || isRateLimit(fault)) return undefined
  if (isOutOfGas(fault)) return "starved"
  if (isContractFault(fault)) return "failed"
  if (absentWords.test(fault.message)) return "absent"
  if (isPruned(fault)) return "pruned"
  return byHash && (fault.code === -32602 || objectWords.test(fault.message)) ? "by number" : undefined
}

const absentWords =
  /(?:header|block|hash)[^.]{0,90}not (?:found|known|currently canonical|canonical)|unknown block|resource not found/i
/** What nodes say that want a number or a word for the block. */
const objectWords =
  /unmarshal|invalid (?:argument|params|type|block|input)|expected|deserialize|cannot parse|block ?(?:tag|number)/i

export interface PinnedHeader extends SourceHeader {
  /** What contracts of the block see as its number, where that is another chain's: nodes of Arbitrum's kind tell it. */
  readonly seenAs?: number
}

/** Undefined: the node has no such block. */
export const headerCall = (number: number): RpcCall<PinnedHeader | undefined> => ({
  method: "eth_getBlockByNumber",
  params: [quantity(number), false],
  read: (result) => {
    const header = headerOf(result)
    const { l1BlockNumber } = Object(result) as Record<string, unknown>
    const isTold = typeof l1BlockNumber === "string" && /^0x[0-9a-f]{1,12}$/i.test(l1BlockNumber)
    return header === undefined || !isTold ? header : { ...header, seenAs: Number(l1BlockNumber) }
  },
})

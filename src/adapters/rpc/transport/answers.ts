/** Matches a node's answers to the calls of one request, by id. Pure. */

import { type ChainId, chainIdOfNumber } from "../../../model/primitives.ts"
import { Malformed, quantityOf, quote } from "../wire/shapes.ts"
import type { RpcFault } from "./fault.ts"

/** One call, and how its answer is read. */
export interface RpcCall<Value> {
  readonly method: string
  readonly params: ReadonlyArray<unknown>
  /** Reads the result as a value; throws at one that cannot be, `Malformed` where it knows why: then the call is made again. */
  readonly read: (result: unknown) => Value
  /** The value of a fault that is an answer (a revert, a refused range); undefined = the node failed. */
  readonly readFault?: (fault: RpcFault) => { readonly value: Value } | undefined
  /** The same for a fault that this call alone met after `tries`; `last`: else it is given up now. */
  readonly lastResort?: (fault: RpcFault, tries: number, last: boolean) => { readonly value: Value } | undefined
  /** Told of each fault, also of those that are answers: which node, which call, why. It holds no secret. */
  readonly onFault?: (why: string) => void
}

/** The chain a node says it is of, in decimal. */
export const chainIdCall: RpcCall<ChainId> = {
  method: "eth_chainId",
  params: [],
  read: (result) => chainIdOfNumber(quantityOf(result, "chain id")),
}

/** What one call came to: its value, or a fault. */
export type Outcome = { readonly value: unknown } | { readonly fault: RpcFault }

/** What a node answered to one request. */
interface RequestAnswer {
  /** That the first call was sent with. */
  readonly firstId: number
  readonly body: unknown
  readonly status: number
  /** Takes secrets out of what the node says. */
  readonly clean: (text: string) => string
}

/**
 * One outcome per call; the call at `index` was sent with id `firstId + index`. A whole request that was turned down
 * gives its fault alone. Answers may come in any order; a missing, repeated or unknown id never passes for an answer.
 */
export const matchAnswers = (
  calls: ReadonlyArray<RpcCall<unknown>>,
  { firstId, body, status, clean }: RequestAnswer,
): ReadonlyArray<Outcome> | RpcFault => {
  const answers = Array.isArray(body) ? body : [body]
  const only = answers.length === 1 ? errorOf(answers[0], status, clean) : undefined
  if (only !== undefined && calls.length > 1 && idOf(answers[0]) === undefined) return only
  if (only !== undefined && calls.length === 1) return [outcomeOfFault(calls[0]!, only)]
  if (!Array.isArray(body) && calls.length > 1) {
    const message = idOf(body) === undefined ? "expected a list of answers" : "one answer to a batch of calls"
    return { kind: "garbled", message }
  }
  const outcomes = calls.map((): Outcome => ({ fault: malformed("no answer to this call among the answers") }))
  const seen = new Set<number>()
  for (const answer of answers) {
    const index = (idOf(answer) ?? Number.NaN) - firstId
    const call = calls[index]
    if (call === undefined) continue
    outcomes[index] = seen.has(index)
      ? { fault: malformed("two answers to one call") }
      : outcomeOf(call, answer, status, clean)
    seen.add(index)
  }
  return outcomes
}

/** A fault counts as an answer where the call says so. */
export const outcomeOfFault = (call: RpcCall<unknown>, fault: RpcFault): Outcome => call.readFault?.(fault) ?? { fault }

const outcomeOf = (
  call: RpcCall<unknown>,
  answer: unknown,
  status: number,
  clean: (text: string) => string,
): Outcome => {
  try {
    const fault = errorOf(answer, status, clean)
    if (fault !== undefined) return outcomeOfFault(call, fault)
    const { result } = answer as { result?: unknown }
    if (result === undefined) return { fault: malformed("an answer with neither result nor error") }
    return { value: call.read(result) }
  } catch (error) {
    if (error instanceof Malformed) return { fault: { ...malformed(clean(error.message)), what: error.what } }
    // Nothing that a node says ends whoever asked.
    return { fault: malformed(clean(`it cannot be read (${error})`)) }
  }
}

const errorOf = (answer: unknown, status: number, clean: (text: string) => string): RpcFault | undefined => {
  const error = (answer as { error?: unknown } | null | undefined)?.error
  if (error === undefined || error === null) return undefined
  const { code, message, data } = (typeof error === "object" ? error : { message: error }) as Record<string, unknown>
  const text = typeof message === "string" ? message : quote(error)
  return {
    kind: "answer",
    message: clean([text, ...textsInData(data)].join(": ")),
    ...(typeof code === "number" ? { code } : {}),
    ...(isBytes(data) ? { data } : {}),
    ...(status === 200 ? {} : { status }),
  }
}

const isBytes = (data: unknown): data is string => typeof data === "string" && /^0x[0-9a-f]*$/i.test(data)

/** Some nodes put what matters into data: as a text, or as the fields of an object. */
const textsInData = (data: unknown): ReadonlyArray<string> => {
  const isText = (value: unknown): value is string => typeof value === "string" && !value.startsWith("0x")
  if (isText(data)) return [data]
  if (typeof data !== "object" || data === null || Array.isArray(data)) return []
  return Object.entries(data).flatMap(([field, value]) => (isText(value) ? [`${field} ${value}`] : []))
}

const idOf = (answer: unknown): number | undefined => {
  const id = (answer as { id?: unknown } | null | undefined)?.id
  return typeof id === "number" ? id : typeof id === "string" && /^\d+$/.test(id) ? Number(id) : undefined
}

const malformed = (message: string): RpcFault => ({ kind: "malformed", message })

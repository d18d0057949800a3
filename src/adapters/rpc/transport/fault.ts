/** What can go wrong with one JSON-RPC call, and which kind of fault it is. Pure. */

import type { FaultKind } from "../../../model/fault.ts"

export interface RpcFault {
  /** `answer`: the node's own error object; `http`: a status without one; `garbled`: a body that holds no answers; `malformed`: a result that cannot be. */
  readonly kind: "answer" | "http" | "timeout" | "network" | "garbled" | "malformed"
  /** For people; holds no secret of the URL. */
  readonly message: string
  /** The error object's code. */
  readonly code?: number
  /** The error object's data where it is bytes in hex: what a contract reverted with. */
  readonly data?: string
  readonly status?: number
  /** What it counts as; absent = `call`. */
  readonly what?: FaultKind
  /** How long the node asks us to stay away. */
  readonly retryAfterMs?: number
}

/**
 * What the node says itself. Behind the word of a revert stands what the contract said, which anybody may choose who
 * makes one: it is no word of the node's.
 */
const ownWords = ({ kind, code, message }: RpcFault): string => {
  if (kind !== "answer") return message
  const end = code === 3 ? 0 : message.search(/revert/i)
  return end < 0 ? message : message.slice(0, end)
}

/** The node has had enough of us for now. */
export const isRateLimit = (fault: RpcFault): boolean =>
  fault.status === 429 || fault.code === 429 || rateLimit.test(ownWords(fault))

/** The same, or a limit of we do not know what. */
export const mayBeRateLimit = (fault: RpcFault): boolean =>
  isRateLimit(fault) || (fault.kind === "answer" && /limit/i.test(ownWords(fault)))

/** Asking the same node again is no use: it does not know the method, or us, or the chain has no such block. */
export const isPermanent = (fault: RpcFault): boolean =>
  !isRateLimit(fault) &&
  (fault.kind === "answer"
    ? (fault.code !== undefined && permanentCodes.has(fault.code)) || isNullRound(fault)
    : fault.kind === "http" && permanentStatuses.has(fault.status ?? 0))

/** The chain has no block of this number, and goes on behind it (Filecoin). */
export const isNullRound = (fault: RpcFault): boolean => fault.kind === "answer" && /null round/i.test(ownWords(fault))

/** The node does not serve the method, however it says so. */
export const isUnknownMethod = (fault: RpcFault): boolean =>
  fault.code === -32601 ||
  /method.*(?:not (?:found|exist|support|available|allowed|enabled|whitelisted)|unsupported|disabled|does not exist|unavailable)|unknown method|unsupported method/i.test(
    ownWords(fault),
  )

/** The node does not keep the state, or the blocks, that were asked about, as it says itself. */
export const isPruned = (fault: RpcFault): boolean =>
  fault.kind === "answer" && !isRateLimit(fault) && prunedWording.test(ownWords(fault))

/** The node does not know the block that was asked about. */
export const isUnknownBlock = (fault: RpcFault): boolean =>
  fault.kind === "answer" && unknownBlockWording.test(ownWords(fault))

/** The call failed in the contract: not the node's fault. */
export const isContractFault = (fault: RpcFault): boolean =>
  fault.kind === "answer" &&
  !isRateLimit(fault) &&
  (fault.code === 3 || fault.code === -32015 || contractFaults.test(fault.message))

/** The call was given too little gas, by its own limit or the node's. */
export const isOutOfGas = (fault: RpcFault): boolean =>
  fault.kind === "answer" && !isRateLimit(fault) && outOfGasWording.test(fault.message)

/** Said of a whole request: the node takes fewer calls at once, now and later. */
export const isBatchRefusal = (fault: RpcFault): boolean =>
  !isRateLimit(fault) && (isPermanent(fault) || batchStatuses.has(fault.status ?? 0) || speaksOfBatches(fault))

/** Said of every call of a request: it means their number. */
export const speaksOfBatches = (fault: RpcFault): boolean => !isRateLimit(fault) && /batch/i.test(ownWords(fault))

const outOfGasWording =
  /out ?of ?gas|gas required exceeds|intrinsic gas|insufficient gas|not enough gas|gas (?:limit )?(?:is )?too low|gas uint64 overflow/i
const rateLimit =
  /rate.?limit|too many requests|request rate|requests? per|per second|rps limit|try_again_in|(?:reduce|lower) (?:your )?request (?:frequency|rate)|(?:over|too) ?(?:loaded|busy)|compute units|throughput|capacity exceeded|quota|credits|daily request|request count|throttl/i
const permanentCodes = new Set([-32700, -32600, -32601, -32602, -32604])
const permanentStatuses = new Set([400, 401, 402, 403, 404, 405, 410])
const batchStatuses = new Set([413, 415, 422, 501])
/** Whatever ends a call in its contract, or in a precompile that stands for one, as clients say it. */
const contractFaults =
  /revert|invalid opcode|bad instruction|undefined instruction|opcode|out of ?gas|gas required exceeds|gas uint64 overflow|stack ?(?:under|over)flow|bad jump|invalid jump|jump destination|return data out of bounds|vm (?:exception|execution|error)|evm error|invalidfeopcode|contract execution|message execution failed|invalid input length|elliptic curve|malformed point|exceeds modulus|element encoding|versioned hash|kzg proof|transaction processing could not be completed|always failing/i
/** How clients and providers refuse old state. */
const prunedWording =
  /missing trie node|prun|archive|historical (?:state|data|block)|state .{0,80}(?:not|un)(?: yet)? ?available|state (?:has been|was) (?:deleted|removed)|(?:no|world) state (?:available|unavailable|found)|old data not available|too old|(?:before|beyond|outside)[^.]{0,40}(?:history|state|window)|required historical|state recon|no historical rpc|already discarded/i
const unknownBlockWording = /unknown block|block not found|header not found|not found: block|could not find block/i

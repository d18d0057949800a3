/** The calls of `eth_getLogs`, by range and by block, and which of their faults are answers. */
import { Array as Arr } from "effect"
import type { Log } from "../../../model/block.ts"
import type { Address, Hash } from "../../../model/primitives.ts"
import { RangeRefused } from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import { isPermanent, isRateLimit, isUnknownBlock, type RpcFault } from "../transport/fault.ts"
import { quantity } from "../wire/abi.ts"
import { Malformed } from "../wire/shapes.ts"
import { allLogsOf, type Misnumbered, readNumbered } from "./logs.ts"
import { rangeRefusalOf } from "./rangeRefusal.ts"

/** The node does not give these logs, and nobody knows its reason. `isAtOnce`: it was not asked twice, since it said so before. */
export class Unwilling {
  constructor(
    readonly message: string,
    readonly isAtOnce: boolean,
  ) {}
}

export type RangeTold = ReadonlyArray<Log> | Misnumbered | RangeRefused | Unwilling
/** undefined where the node does not have the block; "refused" where it has it and does not give its logs. */
export type BlockTold = ReadonlyArray<Log> | Misnumbered | "refused" | undefined

/** One call for each list of tokens: what they tell is joined (`joinedLogs.ts`). */
export interface LogCalls {
  ofRange(fromBlock: number, toBlock: number): ReadonlyArray<RpcCall<RangeTold>>
  ofBlock(blockHash: Hash): ReadonlyArray<RpcCall<BlockTold>>
}

/** Addresses of one call: geth refuses more, unless it is told otherwise. */
const mostAddresses = 1000

/** `signatures`: the first topics that are asked for. */
export const logCallsOf = (signatures: ReadonlyArray<string>, tokens: ReadonlyArray<Address> | undefined): LogCalls => {
  const ofRanges = makeRefusals()
  const ofBlocks = makeRefusals()
  const isOneCall = tokens === undefined || tokens.length <= mostAddresses
  const lists = (isOneCall ? [tokens] : Arr.chunksOf(tokens, mostAddresses)).map((addresses) => ({
    filter: { topics: [signatures], ...(addresses === undefined ? {} : { address: addresses }) },
    own: isOneCall ? undefined : new Set<string>(addresses),
  }))
  return {
    ofRange: (fromBlock, toBlock) =>
      lists.map(
        ({ filter, own }): RpcCall<RangeTold> => ({
          method: "eth_getLogs",
          params: [{ ...filter, fromBlock: quantity(fromBlock), toBlock: quantity(toBlock) }],
          read: (result) => ofRanges.deniedBy(onlyOf(own, readNumbered(result, { fromBlock, toBlock }))),
          readFault: (fault) => {
            const refusal = rangeRefusalOf(fault, fromBlock, toBlock)
            if (refusal !== undefined) return { value: new RangeRefused(refusal) }
            return ofRanges.isKnown(fault) ? { value: new Unwilling(fault.message, true) } : undefined
          },
          lastResort: (fault, tries, last) =>
            ofRanges.isOne(fault, tries, last) ? { value: new Unwilling(fault.message, false) } : undefined,
        }),
      ),
    ofBlock: (blockHash) =>
      lists.map(
        ({ filter, own }): RpcCall<BlockTold> => ({
          method: "eth_getLogs",
          params: [{ ...filter, blockHash }],
          read: (result) =>
            ofBlocks.deniedBy(
              onlyOf(own, readNumbered(result, { fromBlock: 0, toBlock: Number.MAX_SAFE_INTEGER, blockHash })),
            ),
          readFault: (fault) => {
            if (isUnknownBlock(fault)) return { value: undefined }
            // Too many logs for one answer, or a node that does not take a hash.
            const refused = fault.kind === "answer" && (isPermanent(fault) || rangeRefusalOf(fault, 0, 0) !== undefined)
            return refused || ofBlocks.isKnown(fault) ? { value: "refused" } : undefined
          },
          lastResort: (fault, tries, last) =>
            fault.status === 413 || ofBlocks.isOne(fault, tries, last) ? { value: "refused" } : undefined,
        }),
      ),
  }
}

/** A node that does not look at the addresses gives one log in several answers, which would be joined. */
const onlyOf = <Told extends ReadonlyArray<Log> | Misnumbered>(own: ReadonlySet<string> | undefined, told: Told) => {
  const stray = own && allLogsOf(told).find(({ address }) => !own.has(address))
  if (stray !== undefined) throw new Malformed(`a log of ${stray.address} that was not asked for`, "logs")
  return told
}

/**
 * A fault that stays though other calls are answered is a refusal of this one, whatever it says. It is known from then
 * on, until such a call is answered after all.
 */
const makeRefusals = () => {
  const known = new Set<string>()
  return {
    isKnown: (fault: RpcFault): boolean => fault.kind === "answer" && known.has(patternOf(fault)),
    /** Likewise of the fault that a call met alone, after `tries`; it is known then. */
    isOne: (fault: RpcFault, tries: number, last: boolean): boolean => {
      const isOne = staysRefused(fault, tries, last)
      if (isOne && fault.kind === "answer") known.add(patternOf(fault))
      return isOne
    },
    deniedBy: <Answer>(answer: Answer): Answer => {
      known.clear()
      return answer
    },
  }
}

/** Whether the fault that a call of logs met alone, after `tries`, is a refusal, in words that nobody knows. */
export const staysRefused = (fault: RpcFault, tries: number, last: boolean): boolean => {
  if (fault.kind === "network" || fault.kind === "malformed" || isRateLimit(fault) || isUnknownBlock(fault)) {
    return false
  }
  return last || (fault.kind === "answer" && tries >= triesOfUnknownRefusal)
}

const triesOfUnknownRefusal = 3

/** The message without its numbers: the same refusal of another range reads alike. */
const patternOf = ({ message }: RpcFault): string => message.replaceAll(/0x[0-9a-f]+|\d+/gi, "#")

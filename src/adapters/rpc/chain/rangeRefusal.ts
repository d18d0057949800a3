/** Recognises the many wordings in which nodes refuse a range of `eth_getLogs`, and the range they propose instead. Pure. */
import { isRateLimit, type RpcFault } from "../transport/fault.ts"

/** The refusal as the node says it, and the end of the range it proposes; undefined = the fault is something else. */
export const rangeRefusalOf = (
  fault: RpcFault,
  fromBlock: number,
  toBlock: number,
): { readonly message: string; readonly suggestedTo?: number } | undefined => {
  const wide = toBlock > fromBlock
  const slow = fault.kind === "timeout" || fault.status === 504 || fault.status === 524
  const refused = fault.status === 413 || (slow && wide) || wordings.some((wording) => wording.test(fault.message))
  if (!refused || isRateLimit(fault)) return undefined
  const suggestedTo = suggestedEnd(fault.message, fromBlock)
  return {
    message: fault.message,
    ...(suggestedTo !== undefined && suggestedTo >= fromBlock && suggestedTo < toBlock ? { suggestedTo } : {}),
  }
}

const wordings = [
  /more (?:than [\d,]+ )?results/i,
  /exceed(?:s|ed)? (?:the )?max(?:imum)? (?:allowed )?(?:results|range|block|logs|rpc range)/i,
  /max(?:imum)?(?: allowed| rpc)?(?: block)? range/i,
  /range (?:is |was )?(?:too|limit|exceed|larger|greater|bigger|must|should|threshold|allowed)/i,
  /too (?:wide|large|big|long|many) (?:an? )?(?:blocks?|query|range)/i,
  /toblock'? (?:is )?too (?:wide|large|big|far)/i,
  /blocks? distance|distance between/i,
  /ranges? over [\d,]+ blocks/i,
  /more than [\d,]+ ?k? blocks/i,
  /[\d,]+ ?k? blocks (?:per|at once|in one)/i,
  /please reduce/i,
  /too many (?:blocks|results|logs|events)/i,
  /(?:limited to|up to|at most|maximum of) (?:an? )?(?:0 ?- ?)?[\d,]+ ?k?[ -]?(?:blocks?|range)/i,
  /log response size|response(?: size)?(?: is)? (?:too|exceed|should not|limit|larger)|response too (?:large|big)|too large (?:a )?response/i,
  /(?:query|result) set (?:is )?too large|exceeded max limit of/i,
  /\blogs?\b.{0,25}\bexceeds?\b/i,
  /query (?:timeout|must be smaller)|query exceeds/i,
  /maximum allowed number of requested blocks/i,
  /(?:request|query|context deadline|execution) ?(?:has )?(?:timed out|timeout|exceeded)/i,
  /payload too large|request entity too large/i,
]

const suggestedEnd = (message: string, fromBlock: number): number | undefined => {
  const range = message.match(/\[\s*(0x[0-9a-f]+|\d+)\s*,\s*(0x[0-9a-f]+|\d+)\s*\]/i)
  if (range !== null) return Number(range[2])
  const retry = message.match(/range (\d+) ?- ?(\d+)/i)
  if (retry !== null && Number(retry[1]) === fromBlock) return Number(retry[2])
  for (const { pattern, less = 0, anyMessage = false } of blockCounts) {
    const found = message.match(pattern)
    if (found === null || !(anyMessage || speaksOfBlocks.test(message))) continue
    const blocks = Number(found[1]!.replaceAll(",", "")) * (found[2] === undefined ? 1 : 1000) - less
    if (blocks >= 1) return fromBlock + blocks - 1
  }
  return undefined
}

/** A limit of anything else is no number of blocks. */
const speaksOfBlocks = /range|distance|blocks|plan \(/i

/** A number of blocks, the surest first; the second group is a `k` for thousands. `less` than the number by so many. */
const blockCounts: ReadonlyArray<{ readonly pattern: RegExp; readonly less?: number; readonly anyMessage?: boolean }> =
  [
    { pattern: /(?:maximum is set to|number of requested blocks is) (\d[\d,]*)(k\b)?/i, anyMessage: true },
    { pattern: /\(\s*\d[\d,]*\s*>\s*(\d[\d,]*)(k\b)?\s*\)/ },
    { pattern: /(?:less|smaller|fewer) than (\d[\d,]*)(k\b)?/i, less: 1 },
    { pattern: /greater than (\d[\d,]*)(k)? max/i },
    { pattern: /max(?:imum)?(?: allowed)?(?: is| of|:)? (\d[\d,]*)(k\b)?/i },
    { pattern: /(\d[\d,]*)(k)? max(?:imum)?\b/i },
    {
      pattern:
        /max(?:imum)?(?: allowed)?(?: rpc)?(?: block)? range(?: limit)?(?: for \w+)?(?: is| of|:)?\s*(\d[\d,]*)(k\b)?/i,
      anyMessage: true,
    },
    { pattern: /(?:distance|limit(?: is| of)?):? (\d[\d,]*)(k\b)?/i },
    { pattern: /reduce(?: it)?(?: to)?:? (\d[\d,]*)(k\b)?/i },
    { pattern: /range exceeds (\d[\d,]*)(k\b)?/i },
    { pattern: /(\d[\d,]*)\s?(k)?[\s-]*blocks?\b/i, anyMessage: true },
    { pattern: /limited to (?:an? )?(?:0 ?- ?)?(\d[\d,]*)(k)? range/i },
  ]

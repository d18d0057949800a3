/** Recognises the many wordings in which nodes refuse a range of `eth_getLogs`, and the range they propose instead. Pure. */
import { isRateLimit, type RpcFault } from "./fault.ts"

/** The refusal in the node's words, and the end of the range it proposes; undefined = the fault is something else. */
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
  /returned more than [\d,]+ results/i,
  /exceeds? (?:the )?max(?:imum)? (?:results|block range|logs)/i,
  /max(?:imum)?(?: allowed)?(?: block)? range/i,
  /(?:block|blocks|getlogs|toblock'?) ?range (?:is |was )?(?:too|limit|exceed|larger|must)/i,
  /range (?:is )?too (?:wide|large|big)/i,
  /ranges? over [\d,]+ blocks/i,
  /too many (?:blocks|results|logs)/i,
  /(?:limited to|up to|at most|maximum of) (?:an? )?(?:0 ?- ?)?[\d,]+ ?k?[ -]?(?:blocks?|range)/i,
  /log response size|response (?:size|is)? ?(?:too|exceed|should not|limit)|response too (?:large|big)|too large (?:a )?response/i,
  /logs matched by query exceeds/i,
  /query (?:timeout|must be smaller)|query exceeds/i,
  /maximum allowed number of requested blocks/i,
  /exceeded max(?:imum)? (?:range|block)/i,
  /(?:request|query|context deadline|execution) ?(?:has )?(?:timed out|timeout|exceeded)/i,
  /payload too large|request entity too large/i,
  /^\W*(?:limit exceeded|exceeds? (?:the )?limit)/i,
]

const suggestedEnd = (message: string, fromBlock: number): number | undefined => {
  const range = message.match(/\[\s*(0x[0-9a-f]+|\d+)\s*,\s*(0x[0-9a-f]+|\d+)\s*\]/i)
  if (range !== null) return Number(range[2])
  const retry = message.match(/range (\d+) ?- ?(\d+)/i)
  if (retry !== null && Number(retry[1]) === fromBlock) return Number(retry[2])
  for (const pattern of blockCounts) {
    const found = message.match(pattern)
    if (found === null) continue
    const blocks = Number(found[1]!.replaceAll(",", "")) * (found[2] === undefined ? 1 : 1000)
    if (blocks >= 1) return fromBlock + blocks - 1
  }
  return undefined
}

/** A number of blocks; the second group is a `k` for thousands. */
const blockCounts = [
  /(?:maximum is set to|number of requested blocks is) (\d[\d,]*)(k\b)?/i,
  /max(?:imum)?(?: allowed)?(?: block)? range(?: limit)?(?: for \w+)?(?: is| of|:)?\s*(\d[\d,]*)(k\b)?/i,
  /(\d[\d,]*)\s?(k)?[\s-]*blocks?\b/i,
  /limited to (?:an? )?(?:0 ?- ?)?(\d[\d,]*)(k)? range/i,
  /maximum (\d[\d,]*)(k)?\)/i,
]

/** What asking nodes for a differing token's own logs has come to, in words. Pure. */
import type { AsOf } from "../../../model/block.ts"
import type { HealAnswer } from "./healContract.ts"
import { fewer, type Heard } from "./heard.ts"

export const findingOf = (answer: HealAnswer, { blockNumber, firstBlock }: AsOf): string => {
  const { asked, blocks, surplus, heard = nobody, unanswered, lacking, doubt, healed } = answer
  const parts = [
    ...(healed > 0
      ? [`${healed} rows of blocks ${blocks?.from} to ${blocks?.to} that a node had left out are in the ledger now`]
      : []),
    ...(lacking.length > 0
      ? [`a node gives ${lacking.length} logs that the ledger lacks, not taken in yet: ${doubt}`]
      : []),
    ...(surplus > 0
      ? [`the ledger has ${surplus} rows that ${notGiving(heard)} not give: none goes on a node's word`]
      : []),
    ...(unanswered === undefined ? [] : [`whether a node left logs out cannot be told: ${unanswered}`]),
  ]
  if (parts.length > 0) return parts.join("; ")
  if (asked !== undefined && asked.from <= firstBlock && asked.to >= blockNumber) return agreementOf(heard)
  const share = asked === undefined ? "" : `: those of blocks ${asked.from} to ${asked.to} are the ledger's`
  return `its logs are being asked again${share}`
}

const nobody: Heard = { whole: [], others: [] }

/** One node's word may lack the same as the ledger. */
const agreementOf = ({ whole, others }: Heard): string => {
  const isOne = whole.length === 1
  const givers = `${isOne ? "1 node gives" : `${whole.length} nodes give`} the ledger's own (${whole.join(", ")})`
  const rest = others.map(({ node, why }) => `; ${node} ${why}`).join("")
  const isSure = whole.length > 1 && others.every(({ why }) => !why.startsWith(fewer))
  const conclusion = isSure
    ? "it is the contract's way, not a node's gap"
    : "it is the contract's way, unless nodes leave logs out"
  return `its logs were asked again and ${whole.length === 0 ? "are the ledger's" : givers}: ${conclusion}${rest}`
}

const notGiving = ({ whole, others }: Heard): string => {
  const names = whole.length > 0 ? whole : others.map(({ node }) => node)
  return `${names.join(", ")} ${names.length === 1 ? "does" : "do"}`
}

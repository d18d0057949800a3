/** What several nodes tell of a contract, put together: all logs that any of them gives, and who gives them all. Pure. */
import type { Log } from "../../../model/block.ts"
import type { ContractLogs } from "../../../ports/ChainSource.ts"

/** Of all blocks that were asked of. */
export interface Heard {
  /** Nodes that gave every log that any node gave. */
  readonly whole: ReadonlyArray<string>
  /** The others, each once, and what is wrong with them. */
  readonly others: ReadonlyArray<{ readonly node: string; readonly why: string }>
}

/** What is wrong with a node that leaves out what another gives. */
export const fewer = "gives fewer"

/** `logs` ascend. Nodes that tell one place differently are both in it. */
export const unite = ({ answers, silent }: ContractLogs): Heard & { readonly logs: ReadonlyArray<Log> } => {
  const all = new Map(answers.flatMap(({ logs }) => logs.map((log) => [textOf(log), log] as const)))
  const isWhole = ({ logs }: ContractLogs["answers"][number]) => logs.length === all.size
  return {
    logs: [...all.values()].sort((a, b) => a.blockNumber - b.blockNumber || a.logIndex - b.logIndex),
    whole: answers.filter(isWhole).map(({ node }) => node),
    others: [
      ...answers.filter((it) => !isWhole(it)).map(({ node }) => ({ node, why: fewer })),
      ...silent.map(({ node, why }) => ({ node, why: `could not be asked: ${why}` })),
    ],
  }
}

/** What was heard of more blocks. */
export const joinHeard = (before: Heard | undefined, now: Heard): Heard => {
  if (before === undefined) return { whole: now.whole, others: now.others }
  const wrong = new Map(before.others.map(({ node, why }) => [node, why]))
  for (const { node, why } of now.others) wrong.set(node, joinWhy(wrong.get(node), why))
  const others = [...wrong].map(([node, why]) => ({ node, why }))
  const wanting = new Set(others.map(({ node }) => node))
  return { whole: now.whole.filter((node) => !wanting.has(node)), others }
}

/** Who gave fewer of some blocks may have been silent about others, and the reverse: the first of each kind is told. */
const joinWhy = (before: string | undefined, now: string): string => {
  if (before === undefined || before === now) return now
  if (before === fewer) return `${fewer}, ${now}`
  return now === fewer && !before.startsWith(fewer) ? `${fewer}, ${before}` : before
}

const textOf = ({ blockHash, logIndex, address, topics, data, txHash }: Log): string =>
  [blockHash, logIndex, address, ...topics, data, txHash].join()

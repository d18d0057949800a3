/** Questions beside the lists and the actions: the native supply, and what must be refused whatever the chain holds. */

import { nativeSupply } from "../chain/scene.ts"
import { dateOf } from "../records.ts"
import { type Asking, prefix } from "./asking.ts"
import type { ValueQuestion } from "./values.ts"

/** As of a block that the chain has or had: an answer may be a minute old. */
const supply = (asking: Asking): ValueQuestion => {
  const one = (found: unknown, of: Asking["chains"][number]) => {
    const { blockNumber, timestamp } = Object(found) as { blockNumber?: number; timestamp?: string }
    const time = Date.parse(timestamp ?? "") / 1000
    const isKnown = blockNumber !== undefined && of.had(blockNumber, time)
    return {
      chainId: of.chainId,
      symbol: "SOAK",
      totalSupply: nativeSupply,
      circulatingSupply: nativeSupply,
      blockNumber: isKnown ? blockNumber : "a block of the chain",
      timestamp: isKnown ? dateOf(time) : "its time",
    }
  }
  const own = asking.chain()
  return asking.random.chance(0.5)
    ? {
        kind: "value",
        url: `${prefix}/all/supply`,
        chains: asking.chains.map((it) => it.chainId),
        answer: (_, found) => {
          const { chains = [] } = Object(found) as { chains?: ReadonlyArray<unknown> }
          return { chains: asking.chains.map((it, place) => one(chains[place], it)) }
        },
      }
    : {
        kind: "value",
        url: `${prefix}/${own.chainId}/supply`,
        chains: [own.chainId],
        answer: (_, found) => one(found, own),
      }
}

const refusals: ReadonlyArray<readonly [path: string, message: string]> = [
  ["erc20?limit=0", "limit: expected a whole number from 1 to 1000, got 0"],
  ["erc721-transfers?limit=1001", "limit: expected a whole number from 1 to 1000, got 1001"],
]

const refused = (asking: Asking): ValueQuestion => {
  const { chainId } = asking.chain()
  const [path, message] = asking.random.pick(refusals)
  return {
    kind: "value",
    url: `${prefix}/${chainId}/${path}`,
    chains: [chainId],
    status: 400,
    answer: () => ({ statusCode: 400, code: "INVALID_PARAMETER", error: "Bad Request", message }),
  }
}

export const otherQuestions: ReadonlyArray<readonly [weight: number, ask: (asking: Asking) => ValueQuestion]> = [
  [2, supply],
  [1, refused],
]

/** A node that answers for headers alone, and may be down or tell other times than the chain's. */
import { Effect } from "effect"
import { type ChainSourceClient, SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import type { TestChain } from "../chain/testChain.ts"

const failing = Effect.fail(new SourceUnavailable({ message: "down" }))

export interface HeadersNode {
  down: boolean
  /** Seconds by which its times are wrong. */
  lies: number
  /** How often it was asked. */
  asked: number
  readonly client: ChainSourceClient
}

export const makeHeadersNode = (chain: TestChain): HeadersNode => {
  const node: HeadersNode = {
    ...{ down: false, lies: 0, asked: 0 },
    client: {
      ...({ chainId: failing, head: failing, failover: Effect.void } as const),
      ...({ logs: () => failing, logsOfBlocks: () => failing, crossCheck: () => Effect.succeed([]) } as const),
      headers: (numbers) =>
        Effect.suspend(() => {
          node.asked++
          if (node.down) return failing
          return Effect.succeed(
            numbers.map((number) => {
              const header = chain.blocks[number]?.header
              return header && { ...header, time: header.time + node.lies }
            }),
          )
        }),
    },
  }
  return node
}

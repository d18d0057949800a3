/** Which upstream each chain has, and with which key: a key never goes to a host that it was not meant for. */
import type { ChainId } from "../model/primitives.ts"
import type { Config } from "./readConfig.ts"

export interface UpstreamPlace {
  /** Up to the question mark. */
  readonly url: string
  readonly key?: string
}

type Given = Pick<Config, "upstreamUrl" | "upstreamKey"> & {
  readonly chains: ReadonlyArray<Pick<Config["chains"][number], "chainId" | "upstreamUrl" | "upstreamKey">>
}

/** The upstreams by chain; a chain without one is absent. */
export const upstreamsOf = (config: Given): ReadonlyMap<ChainId, UpstreamPlace> =>
  new Map(
    config.chains.flatMap((chain): ReadonlyArray<readonly [ChainId, UpstreamPlace]> => {
      const url = chain.upstreamUrl ?? config.upstreamUrl
      if (url === undefined) return []
      const isMeant = config.upstreamUrl === undefined || originOf(config.upstreamUrl) === originOf(url)
      const key = chain.upstreamKey ?? (isMeant ? config.upstreamKey : undefined)
      return [[chain.chainId, { url, ...(key !== undefined && { key }) }]]
    }),
  )

const originOf = (url: string): string => new URL(url).origin

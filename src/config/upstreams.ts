/** Which upstream each chain has, and with which key: a key never goes to a host that it was not meant for. */
import type { UpstreamPlace, UpstreamPlaces } from "../adapters/web/FetchUpstream.ts"
import type { ChainId } from "../model/primitives.ts"
import type { Config } from "./readConfig.ts"

type Given = Pick<Config, "upstreamUrl" | "upstreamKey" | "upstreamsElsewhere"> & {
  readonly chains: Config["upstreamsElsewhere"]
}

export const upstreamsOf = (config: Given): UpstreamPlaces => {
  const { upstreamUrl: url, upstreamKey: key } = config
  return { ofChain: upstreamsOfChains(config), ...(url !== undefined && { others: { url, ...(key && { key }) } }) }
}

const upstreamsOfChains = (config: Given): ReadonlyMap<ChainId, UpstreamPlace> =>
  new Map(
    [...config.chains, ...config.upstreamsElsewhere].flatMap(
      (chain): ReadonlyArray<readonly [ChainId, UpstreamPlace]> => {
        const url = chain.upstreamUrl ?? config.upstreamUrl
        if (url === undefined) return []
        const isMeant = config.upstreamUrl === undefined || originOf(config.upstreamUrl) === originOf(url)
        const key = chain.upstreamKey ?? (isMeant ? config.upstreamKey : undefined)
        return [[chain.chainId, { url, ...(key !== undefined && { key }) }]]
      },
    ),
  )

const originOf = (url: string): string => new URL(url).origin

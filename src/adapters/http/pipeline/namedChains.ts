/** The chains that a request names, followed ones only: for what is said of them beside the answer. */
import { Result } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import type { Networks } from "../../../ports/Networks.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { type Fault, NotServedHere } from "../contract/faults.ts"
import { chainPath, isBelow, pathParameters } from "../contract/path.ts"
import { type MinBlocks, noMinBlocks, readMinBlocks } from "../newEnough/minBlock.ts"
import { pointsOfChains } from "../newEnough/walkPoints.ts"
import type { Incoming } from "./requestResponse.ts"

/** `all` names every chain of its network. None where the request is about no chain, or about none that is followed. */
export const namedChains = (
  endpoint: Endpoint | undefined,
  { path, query, body }: Pick<Incoming, "path" | "query" | "body">,
  { chains }: Networks["Service"],
): ReadonlyArray<ChainId> => {
  if (endpoint?.foreign !== undefined) {
    const parameters = pathParameters(endpoint.path, path)
    return endpoint.foreign.chainsOf(
      { param: (name) => parameters.get(name) ?? "", query, ...(body === undefined ? {} : { body }) },
      chains,
    )
  }
  if (endpoint?.chainOf !== undefined) {
    const parameters = pathParameters(endpoint.path, path)
    const found = endpoint.chainOf({ param: (name) => parameters.get(name) ?? "", query }, chains)
    return found === undefined ? [] : [found]
  }
  // Where nothing is at a path, what it is below says what it was to be about.
  const isAboutChains = endpoint === undefined ? isBelow(chainPath, path) : endpoint.about.kind !== "service"
  if (!isAboutChains) return []
  const named = pathParameters(chainPath, path)
  const chainId = named.get("chainId")
  return chains
    .filter((it) => it.network === named.get("networkId") && (chainId === "all" || it.chainId === chainId))
    .map((it) => it.chainId)
}

/** What a request that will be answered is about, and how new the answer must be. */
export interface AskedChains {
  readonly chains: ReadonlyArray<ChainId>
  readonly minBlocks: MinBlocks
  /** Whether the ledger is held against them before the answer is made. */
  readonly isHeldBefore?: boolean
}

/** Refused where this process does not answer for them. `readsLedger`: then the chains are always told, else only where they are needed. */
export const askedOf = (
  endpoint: Endpoint,
  request: Pick<Incoming, "path" | "query" | "body" | "minBlock">,
  networks: Networks["Service"],
  readsLedger: boolean,
): Result.Result<AskedChains, Fault> => {
  const isOpen = endpoint.open === true
  const areNeeded = readsLedger || (!isOpen && request.minBlock !== undefined)
  const chains = areNeeded ? namedChains(endpoint, request, networks) : []
  const refusal = isOpen ? undefined : networks.refusal?.(chains)
  if (refusal !== undefined) return Result.fail(new NotServedHere({ message: refusal }))
  if (isOpen || request.minBlock === undefined) return Result.succeed({ chains, minBlocks: noMinBlocks })
  return Result.map(readMinBlocks(request.minBlock, chains), (minBlocks) => {
    const newness = endpoint.newness?.(request)
    if (newness === "none") return { chains, minBlocks: noMinBlocks }
    const spoken = endpoint.narrowed?.(request, networks.chains) ?? chains
    return { chains, minBlocks: pointsOfChains(minBlocks, spoken), isHeldBefore: newness === "before" }
  })
}

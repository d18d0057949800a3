/** The chains that a request names, followed ones only: for what is said of them beside the answer. */
import type { ChainId } from "../../../model/primitives.ts"
import type { Networks } from "../../../ports/Networks.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { chainPath, isBelow, pathParameters } from "../contract/path.ts"
import type { Incoming } from "./requestResponse.ts"

/** `all` names every chain of its network. None where the request is about no chain, or about none that is followed. */
export const namedChains = (
  endpoint: Endpoint | undefined,
  { path, query }: Pick<Incoming, "path" | "query">,
  { chains }: Networks["Service"],
): ReadonlyArray<ChainId> => {
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

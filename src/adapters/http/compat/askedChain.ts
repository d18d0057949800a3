/** Which chain a compatibility request is about: its path names it, its `chainid` does, or one alone is followed. */
import { chainNamed } from "../../../domain/reads/chains.ts"
import type { ChainNotSupported } from "../../../model/errors.ts"
import type { Chain } from "../../../ports/Networks.ts"
import type { Call } from "../contract/call.ts"
import type { CompatFault } from "../contract/faults.ts"
import { firstValue, foldNames } from "../contract/query.ts"
import { refusal } from "./parameters.ts"

type Asking = Pick<Call, "param" | "query">

/** What a path says of the chain. */
export interface ChainNaming {
  readonly find: (asking: Asking, followed: ReadonlyArray<Chain>) => Chain | ChainNotSupported | CompatFault
  /** The same for headers; undefined where `find` refuses. Absent = the path is below a network. */
  readonly of?: (asking: Asking, followed: ReadonlyArray<Chain>) => Chain | undefined
}

/** The path names network and chain; `chainid`, if given, must be that chain. */
export const belowNetwork: ChainNaming = {
  find: ({ param }, followed) => chainNamed(followed, param("networkId"), param("chainId")),
}

const followedBy = (of: NonNullable<ChainNaming["of"]>, given: (asking: Asking) => string): ChainNaming => ({
  of,
  find: (asking, followed) => of(asking, followed) ?? notFollowed(given(asking), followed),
})

/** The path names the chain alone. */
export const inPath: ChainNaming = followedBy(
  ({ param }, followed) => followed.find(({ chainId }) => chainId === param("chainId")),
  ({ param }) => param("chainId"),
)

const chainIdOf = ({ query }: Asking): string => firstValue(foldNames(query), "chainid") ?? ""

/** `chainid` names it; without that it is the only one that is followed. */
export const inQuery: ChainNaming = followedBy((asking, followed) => {
  const given = chainIdOf(asking)
  if (given === "") return followed.length === 1 ? followed[0] : undefined
  return followed.find(({ chainId }) => chainId === given)
}, chainIdOf)

/** Ids that a refusal names at most. */
const mostNamed = 20

/** Begins as Etherscan's own refusal does: clients look for its words. */
const notFollowed = (given: string, followed: ReadonlyArray<Chain>): CompatFault => {
  const what = given === "" ? "none was given" : `${quotable(given)} is not followed here`
  const ids = followed.slice(0, mostNamed).map(({ chainId }) => chainId)
  const more = followed.length > mostNamed ? ` and ${followed.length - mostNamed} more` : ""
  return refusal(
    `Missing or unsupported chainid parameter (required for v2 api): ${what}, the chains are ${ids.join(", ")}${more}`,
  )
}

/** Only a plain word is quoted: clients search the text for "no data found" and the like. */
const quotable = (given: string): string => (/^\w{1,64}$/.test(given) ? given : "what was given")

/** Clients that speak to many chains through one path say which they mean: the refusal where that is another. */
export const otherChain = (asking: Asking, chainId: string): CompatFault | undefined => {
  const given = chainIdOf(asking)
  if (given === "" || given === chainId) return undefined
  const quoted = quotable(given) === given ? given : "given"
  return refusal(`Error! chainid ${quoted} is not the chain of this path, which is ${chainId}`)
}

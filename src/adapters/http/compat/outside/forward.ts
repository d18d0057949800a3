/** An action that Cowry does not answer: asked of the upstream where there is one, else refused by its name. */
import { Effect } from "effect"
import type { ChainId } from "../../../../model/primitives.ts"
import { Upstream, type UpstreamUnavailable } from "../../../../ports/Upstream.ts"
import type { Answer } from "../../contract/call.ts"
import { CompatFault } from "../../contract/faults.ts"
import { mediaTypes } from "../../contract/mediaType.ts"
import type { Query } from "../../contract/query.ts"
import { type ForeignAction, parametersUp } from "./foreignActions.ts"

/** Longer values are no question of this API. */
const mostLength = 8192

/** `query` with names in lower case. */
export const forward = Effect.fnUntraced(function* (chainId: ChainId, foreign: ForeignAction, query: Query) {
  const { module, action, isRefused } = foreign
  const upstream = yield* Upstream
  if (isRefused === true) return yield* notServed(action, "it is no read")
  if (!upstream.serves(chainId))
    return yield* notServed(action, "it is not in the ledger, and no upstream is configured")
  const parameters = parametersUp(foreign, query)
  const length = parameters.reduce((sum, [name, value]) => sum + name.length + value.length, 0)
  if (length > mostLength) return yield* notServed(action, `its parameters are longer than ${mostLength} characters`)
  return yield* upstream.ask(chainId, { module, action, parameters }).pipe(
    Effect.map((text): Answer => ({ ...outside, body: text, headers: { "content-type": mediaTypes.json } })),
    Effect.catch((failure) => Effect.succeed<Answer>({ ...outside, body: failedBody(action, failure) })),
  )
})

const outside = { asOf: [], outside: "upstream", fleeting: true } as const

const notServed = (action: string, why: string) =>
  new CompatFault({ message: "NOTOK", result: `Error! Action ${action} is not served here: ${why}` })

/** Clients wait and ask again at the words of the limit, and at no others. */
const failedBody = (action: string, { message, isLimited }: UpstreamUnavailable) => ({
  status: "0",
  message: "NOTOK",
  result: isLimited === true ? message : `Error! Action ${action} is not answered by the upstream: ${message}`,
})

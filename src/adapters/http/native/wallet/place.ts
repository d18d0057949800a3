/** A list about one chain, with further names in its path: an address, a token, both. */
import { Effect, type Schema } from "effect"
import { selectChains } from "../../../../domain/reads/chains.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import type { Call } from "../../contract/call.ts"
import { standardNames } from "../../contract/documentation.ts"
import type { Endpoint } from "../../contract/endpoint.ts"
import { chainPath } from "../../contract/path.ts"
import { invalidParameter } from "../../contract/statuses.ts"
import { answerPage, type ListRows, type NativeParameters } from "../answerPage.ts"
import { decode, listCost } from "../list.ts"
import { listDoc } from "../listDoc.ts"
import { pathAddress } from "./parameters.ts"

export interface PlacedList<Place, P extends NativeParameters, Item, Key> extends ListRows<Place, P, Item, Key> {
  readonly path: string
  readonly summary: string
  readonly description?: string
  readonly record: Schema.Top
}

/** One chain, as the path names it. */
export const pathChain = Effect.fnUntraced(function* (call: Call) {
  const chainId = call.param("chainId")
  const [chain] = yield* selectChains(call.param("networkId"), chainId, {})
  if (chainId === "all" || chain === undefined)
    return yield* invalidParameter("chainId", chainId, "the id of one chain")
  return chain
})

/** What an address has of a token. */
export const listOfHolding = <P extends NativeParameters, Item, Key>(
  list: PlacedList<{ readonly chainId: ChainId; readonly owner: Address; readonly token: Address }, P, Item, Key>,
): Endpoint => ({
  id: list.id,
  path: chainPath + list.path,
  style: "native",
  about: { kind: "address" },
  ofLedger: true,
  doc: listDoc(list, { tag: "Addresses", streamed: true, faults: ["ChainNotSupported"] }),
  cost: (asked) => Effect.succeed(listCost({ parameters: list.parameters }, asked)),
  answer: Effect.fnUntraced(function* (call: Call) {
    const chainId = yield* pathChain(call)
    const owner = yield* pathAddress(call)
    const token = yield* pathAddress(call, "token")
    const parameters = yield* decode(list.parameters, call)
    const bound = [
      ["address", owner],
      ["token", token],
    ]
    return yield* answerPage(list, call, { parameters, place: { chainId, owner, token }, bound })
  }),
})

/** Of a token, whose header `x-audit-state` it has: its rows name blocks themselves. */
export const listOfToken = <P extends NativeParameters, Item, Key>(
  list: PlacedList<{ readonly chainId: ChainId; readonly token: Address }, P, Item, Key> & {
    readonly standard: Standard
  },
): Endpoint => ({
  id: list.id,
  path: chainPath + list.path,
  style: "native",
  about: { kind: "contract", standard: list.standard },
  ofLedger: true,
  doc: listDoc(list, { tag: standardNames[list.standard], streamed: true, faults: ["ChainNotSupported"] }),
  cost: (asked) => Effect.succeed(listCost({ parameters: list.parameters }, asked)),
  answer: Effect.fnUntraced(function* (call: Call) {
    const chainId = yield* pathChain(call)
    const token = yield* pathAddress(call)
    const parameters = yield* decode(list.parameters, call)
    return yield* answerPage(list, call, {
      parameters,
      place: { chainId, token },
      bound: [["address", token]],
      contract: { chainId, token, about: list.standard },
    })
  }),
})

/** A list about what one address has of one token of a chain: both are in its path. */
import { Effect } from "effect"
import type { AboutStandard } from "../../../../domain/audit/auditStatus.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import type { Call } from "../../contract/call.ts"
import type { Endpoint } from "../../contract/endpoint.ts"
import type { Decoded } from "../../contract/parameter.ts"
import { chainPath } from "../../contract/path.ts"
import { pathAddress, placeOf } from "../../contract/place.ts"
import { answerPage, type NativeParameters } from "../answerPage.ts"
import { decode, type List, listCost } from "../list.ts"
import { listDoc } from "../listDoc.ts"

interface Place {
  readonly chainId: ChainId
  readonly owner: Address
  readonly token: Address
}

export const listOfHolding = <P extends NativeParameters, Item, Key>(
  list: List<Place, P, Item, Key> & {
    /** Whose audit state the answer has, of a contract that is of several standards. */
    readonly aboutStandard: (parameters: Decoded<P>) => AboutStandard
  },
): Endpoint => ({
  id: list.id,
  path: chainPath + list.path,
  style: "native",
  about: { kind: "address", ofContract: true },
  ofLedger: true,
  doc: listDoc(list, { tag: "Addresses", streamed: true, faults: ["ChainNotSupported"] }),
  cost: (asked) => Effect.succeed(listCost(list, asked)),
  answer: Effect.fnUntraced(function* (call: Call) {
    const { chainId, address: owner } = yield* placeOf(call)
    const token = yield* pathAddress(call, "token")
    const parameters = yield* decode(list.parameters, call)
    const bound = [
      ["address", owner],
      ["token", token],
    ]
    return yield* answerPage(list, call, {
      parameters,
      place: { chainId, owner, token },
      bound,
      contract: { chainId, token, about: list.aboutStandard(parameters) },
    })
  }),
})

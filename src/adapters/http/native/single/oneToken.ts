/** One contract, as one standard's token: an object, and a 404 of its own where the ledger has none. */
import { Effect } from "effect"
import { currentOneToken } from "../../../../domain/audit/oneToken.ts"
import { Erc20Contract, NftCollection, type Standard } from "../../../../model/token.ts"
import type { Call } from "../../contract/call.ts"
import { standardNames } from "../../contract/documentation.ts"
import type { Endpoint } from "../../contract/endpoint.ts"
import { chainPath } from "../../contract/path.ts"
import { placeOf } from "../../contract/place.ts"
import { askedNode, auditHeader, sourceHeader } from "../../pipeline/auditState.ts"

const oneOf = (standard: Standard, body: typeof Erc20Contract | typeof NftCollection): Endpoint => ({
  id: `${standard}/one`,
  path: `${chainPath}/${standard}/{address}`,
  style: "native",
  about: { kind: "contract", standard },
  ofLedger: true,
  doc: {
    tag: standardNames[standard],
    summary: `One ${standardNames[standard]} contract: what the list says, and its first and last transfer`,
    query: {},
    body,
    faults: ["ChainNotSupported", "InvalidParameter", "TokenNotFound"],
  },
  cost: () => Effect.succeed("cheap"),
  answer: Effect.fnUntraced(function* (call: Call) {
    const { chainId, address: token } = yield* placeOf(call)
    const contract = { chainId, token, about: standard }
    const auditRead = yield* call.readAudit(contract)
    const found = yield* currentOneToken(standard, chainId, token, auditRead)
    return {
      asOf: found.asOf,
      ...askedNode(found),
      headers: { ...auditHeader(contract, yield* auditRead, undefined), ...sourceHeader(found) },
      body: found.value,
    }
  }),
})

export const oneErc20 = oneOf("erc20", Erc20Contract)
export const oneErc721 = oneOf("erc721", NftCollection)
export const oneErc1155 = oneOf("erc1155", NftCollection)

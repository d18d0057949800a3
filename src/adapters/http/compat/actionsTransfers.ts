/** The compatibility actions that list transfers with the columns of their transactions. */
import { Effect, Schema } from "effect"
import { listCompatTransfers } from "../../../domain/reads/compatTransfers.ts"
import type { ChainId } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"
import {
  CompatErc20Transfer,
  CompatErc721Transfer,
  CompatErc1155Transfer,
} from "../../../model/transactions/compatTransfers.ts"
import type { Decoded } from "../contract/parameter.ts"
import { type CompatAction, compatAction } from "./action.ts"
import { erc20Parameters, erc721Parameters, erc1155Parameters, filterOf } from "./transferParameters.ts"

const listed = (standard: Standard, asked: Decoded<typeof erc20Parameters> & { readonly chainId: ChainId }) =>
  Effect.gen(function* () {
    const { chainId, sort: direction, window } = asked
    const filter = yield* Effect.fromResult(filterOf(asked))
    return yield* listCompatTransfers({ standard, chainId, filter, direction, window })
  })

export const transferActions: ReadonlyArray<CompatAction> = [
  compatAction({
    module: "account",
    action: "tokentx",
    summary: "ERC-20 transfers of an address, of a contract, or of both",
    shape: Schema.Array(CompatErc20Transfer),
    list: "transactions",
    node: "perhaps",
    about: "erc20",
    parameters: erc20Parameters,
    result: (asked) => listed("erc20", asked),
  }),
  compatAction({
    module: "account",
    action: "tokennfttx",
    summary: "ERC-721 transfers, likewise",
    shape: Schema.Array(CompatErc721Transfer),
    list: "transactions",
    node: "perhaps",
    about: "erc721",
    parameters: erc721Parameters,
    result: (asked) => listed("erc721", asked),
  }),
  compatAction({
    module: "account",
    action: "token1155tx",
    summary: "ERC-1155 transfers, a row per id, likewise",
    shape: Schema.Array(CompatErc1155Transfer),
    list: "transactions",
    node: "perhaps",
    about: "erc1155",
    parameters: erc1155Parameters,
    result: (asked) => listed("erc1155", asked),
  }),
]

/** One contract as one standard's token: all that the lists say of it, and what they leave out. */
import { Effect } from "effect"
import { TokenNotFound } from "../../model/errors.ts"
import type { Address, ChainId } from "../../model/primitives.ts"
import type { Erc20Contract, NftCollection, Standard } from "../../model/token.ts"
import { TokenStore } from "../../ports/TokenStore.ts"

/** Fails where the ledger has no event of that standard of the contract. */
export const findOneToken = Effect.fnUntraced(function* (standard: Standard, chainId: ChainId, address: Address) {
  const store = yield* TokenStore
  const { asOf, value } = yield* store.findOne(standard, chainId, address)
  if (value === undefined) {
    return yield* new TokenNotFound({
      message: `no ${standard} contract is known at ${address} on chain ${chainId}`,
      asOf,
    })
  }
  const { record, note, transfers, first, last } = value
  const { image, website, description } = note?.texts ?? {}
  const contract: Erc20Contract | NftCollection = {
    ...record,
    blueCheckmark: note?.trusted === true,
    ...(image === undefined ? {} : { logoUri: image }),
    ...(website === undefined ? {} : { website }),
    ...(description === undefined ? {} : { description }),
    transfersCount: transfers,
    ...(first === undefined ? {} : { firstTransfer: first }),
    ...(last === undefined ? {} : { lastTransfer: last }),
  }
  return { asOf, value: contract }
})

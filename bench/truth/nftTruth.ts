/** What the chain's collectibles have come to, as plain text: what a ledger of this chain must hold. */
import type { Chain } from "../chain/Chain.ts"
import { type Collection, unitOf } from "../chain/collections.ts"

/** One contract and standard; balances and owners that are not nothing, sorted. */
export interface NftTruth {
  readonly standard: 721 | 1155
  readonly address: string
  readonly transfers: number
  readonly holders: number
  /** Live ids of ERC-721; of ERC-1155 rows (address, id) above zero. */
  readonly ids: number
  /** `id owner` of ERC-721, `holder id balance` of ERC-1155. */
  readonly lines: ReadonlyArray<string>
}

export const nftsOf = ({ population, collections }: Chain): ReadonlyArray<NftTruth> => {
  const hexOf = (digits: Uint8Array) => `0x${Buffer.from(digits).toString("latin1")}`
  const account = (number: number) => hexOf(population.hexOfAccount(number))
  const truthOf = (standard: 721 | 1155) => (entry: readonly [token: number, collection: Collection]) => {
    const [token, { rows, owners, units }] = entry
    const held = [...units].filter(([, balance]) => balance !== 0n).map(([key, balance]) => ({ key, balance }))
    const above = held.filter(({ balance }) => balance > 0n)
    const holders = standard === 721 ? [...owners.values()] : above.map(({ key }) => unitOf(key)[1])
    const lines =
      standard === 721
        ? [...owners].map(([id, owner]) => `${id} ${account(owner)}`)
        : held.map(({ key, balance }) => `${account(unitOf(key)[1])} ${unitOf(key)[0]} ${balance}`)
    return {
      standard,
      address: hexOf(population.tokens[token]!.hex),
      transfers: rows,
      holders: new Set(holders).size,
      ids: standard === 721 ? owners.size : above.length,
      lines: lines.sort(),
    }
  }
  return [...[...collections.erc721].map(truthOf(721)), ...[...collections.erc1155].map(truthOf(1155))].filter(
    ({ transfers }) => transfers > 0,
  )
}

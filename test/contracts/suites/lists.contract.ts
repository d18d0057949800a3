/** The contract of token lists: every standard, sort and direction, over one and several chains, against plain sorting of plain rows. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { PageRequest } from "../../../src/model/page.ts"
import { type ChainId, dateTimeOf } from "../../../src/model/primitives.ts"
import {
  type Standard,
  standards,
  type TokenKey,
  type TokenOrigin,
  type TokenSortField,
  tokenSortFields,
} from "../../../src/model/token.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { address, hash, type TestChain } from "../../support/chain/testChain.ts"
import { type ContractScope, freshChainId, type MakeStore, openStore, stepsOf, type TestStore } from "../store.ts"
import { walkBackward, walkForward } from "../walk.ts"
import { bazaar, contracts, type Facts, factsOf } from "../worlds/bazaar.ts"

const names: ReadonlyArray<string | undefined> = ["Zebra", undefined, "apple", "Zebra", "Ärger", "\u{1F947}", "Z"]
const indexOf = (token: string): number => contracts.findIndex((contract) => contract.address === token)

/** What is learned of a token beside its events: of some nothing, of some a time alone. */
const descriptionOf = (token: string) => {
  const name = names[indexOf(token)]
  return name === undefined ? {} : { name, symbol: "S", decimals: 6 }
}
const originOf = (token: string): TokenOrigin => {
  const index = indexOf(token)
  if (index % 3 === 0) return {}
  return { time: 1_600_000_000 + (index % 2), ...(index % 3 === 1 ? { txHash: hash(token) } : {}) }
}

const recordOf = (chainId: string, head: number, { standard, address: token, supply, times, holders }: Facts) => {
  const { decimals, ...texts } = descriptionOf(token)
  const { time, txHash } = originOf(token)
  const since = (hours: number) => times.filter((at) => at > head - hours * 3600).length
  return {
    chainId,
    address: token,
    ...texts,
    ...(standard === "erc20" && decimals !== undefined ? { decimals } : {}),
    ...(standard === "erc20" ? { totalSupply: String(supply < 0n ? 0n : supply) } : {}),
    ...(time === undefined
      ? {}
      : { createOperation: { timestamp: dateTimeOf(time), ...(txHash === undefined ? {} : { txHash }) } }),
    transfers: { last24h: since(24), last48h: since(48), last72h: since(72) },
    holdersCount: holders.length,
  }
}

export const listsContract = (name: string, makeStore: MakeStore, scope: ContractScope) =>
  describe(`Token lists on ${name}`, () => {
    let store: TestStore
    const ids = [freshChainId(), freshChainId(), freshChainId()]
    const chains: ReadonlyArray<TestChain> = [bazaar(11), bazaar(12), bazaar(13)]
    const headOf = (chainId: ChainId) => chains[ids.indexOf(chainId)]!.blocks.at(-1)!.header.time
    const tokens = chains.flatMap(({ blocks }, index) =>
      factsOf(blocks).map((facts) => ({ chainId: ids[index]!, facts })),
    )

    beforeAll(async () => {
      store = await openStore(makeStore)
      for (const [index, chain] of chains.entries()) {
        const writer = await store.open({ chainId: ids[index]! })
        await store.run(writer.append(chain.segment(0)))
        const born = await store.run(writer.listUndescribedTokens(1000))
        await store.run(
          writer.describeTokens(born.map((token) => ({ token, description: descriptionOf(token.address) }))),
        )
        await store.run(writer.recordOrigins(born.map((token) => ({ token, origin: originOf(token.address) }))))
      }
    })
    afterAll(() => store.close())

    const rowsOf = (standard: Standard, chainIds: ReadonlyArray<string>, field: TokenSortField) =>
      tokens
        .filter(({ chainId, facts }) => facts.standard === standard && chainIds.includes(chainId))
        .map(({ chainId, facts }) => {
          const record = recordOf(chainId, headOf(chainId), facts)
          const value = {
            createdAt: originOf(facts.address).time ?? facts.firstTime,
            holdersCount: record.holdersCount,
            transfers: record.transfers.last24h,
            name: record.name ?? null,
          }[field]
          return { record, value }
        })
    const compareValues = (a: number | string, b: number | string) =>
      typeof a === "string" ? Buffer.compare(Buffer.from(a), Buffer.from(String(b))) : a - Number(b)

    for (const standard of standards) {
      for (const field of tokenSortFields) {
        test(`${standard} tokens by ${field}: ties by chain and address, asc the reverse of desc, absent values last, walked both ways`, async () => {
          for (const chainIds of [[ids[2]!], ids]) {
            for (const direction of ["desc", "asc"] as const) {
              const sign = direction === "desc" ? 1 : -1
              const wanted = rowsOf(standard, chainIds, field)
                .sort(
                  ({ record: a, value: x }, { record: b, value: y }) =>
                    Number(x === null) - Number(y === null) ||
                    sign *
                      ((x === null || y === null ? 0 : compareValues(y, x)) ||
                        Number(a.chainId) - Number(b.chainId) ||
                        (a.address < b.address ? -1 : 1)),
                )
                .map(({ record }) => record)
              const read = (page: PageRequest<TokenKey>) =>
                store.run(
                  TokenStore.use((s) =>
                    s.list({ standard, chains: chainIds, sort: { field, direction }, page, count: page.limit === 7 }),
                  ),
                )
              for (const limit of stepsOf(scope, [1, 7, 100, 1000])) {
                expect<ReadonlyArray<unknown>>(await walkForward(read, limit)).toEqual(wanted)
                expect<ReadonlyArray<unknown>>(await walkBackward(read, limit)).toEqual(wanted)
              }
              const { value } = await read({ limit: 7 })
              expect(value.count).toEqual({ count: wanted.length, countType: "exact" })
            }
          }
        })
      }
    }

    test("what is found at an address is a record per standard, in their order, with the supply of what has one", async () => {
      for (const chainId of ids) {
        for (const { address: token, emits } of contracts) {
          const { value } = await store.run(TokenStore.use((s) => s.find(chainId, token)))
          expect<ReadonlyArray<unknown>>(value).toEqual(
            emits.map((standard) => {
              const { facts } = tokens.find(
                (it) => it.chainId === chainId && it.facts.address === token && it.facts.standard === standard,
              )!
              const supply = String(facts.supply < 0n ? 0n : facts.supply)
              const record = recordOf(chainId, headOf(chainId), facts)
              return { standard, record, isDescribed: true, ...(standard === "erc1155" ? {} : { supply }) }
            }),
          )
        }
        const unknown = await store.run(TokenStore.use((s) => s.find(chainId, address(0xdead))))
        expect(unknown.value).toEqual([])
        expect(unknown.asOf).toHaveLength(1)
      }
      expect(await store.run(TokenStore.use((s) => s.find(freshChainId(), contracts[0]!.address)))).toEqual({
        asOf: [],
        value: [],
      })
    })
  })

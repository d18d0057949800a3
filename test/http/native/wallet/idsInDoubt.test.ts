/** Ids of an ERC-721 whose ledger is in doubt: of each the contract says who owns it, never how many somebody has. On either store. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryStore from "../../../../src/adapters/memory/MemoryStore.ts"
import * as PostgresStore from "../../../../src/adapters/postgres/PostgresStore.ts"
import { ChainId, zeroAddress as zero } from "../../../../src/model/primitives.ts"
import { AuditStore } from "../../../../src/ports/AuditStore.ts"
import { TokenViews, type ViewQuestion } from "../../../../src/ports/TokenViews.ts"
import { address, multiTransfer, nftTransfer, TestChain } from "../../../support/chain/testChain.ts"
import { testDatabase } from "../../../support/postgres.ts"
import { type Json, prefix, startService, store, type TestService } from "../../support.ts"

const [ann, bob] = [address(0xa1), address(0xa2)]
const [apes, potions] = [address(0xc1), address(0xc2)]

/** By the ledger Ann has three apes, and 4 of a potion. */
const chainOf = (firstBlock: number) =>
  new TestChain(new Set(), firstBlock).block([
    ...[7n, 8n, 9n].map((id) => nftTransfer(apes, zero, ann, id)),
    multiTransfer(potions, zero, ann, [[5n, 4n]]),
  ])

/** By the contract one of them is Bob's, and of another it does not tell. */
const owners: Readonly<Record<string, bigint>> = { 7: BigInt(ann), 8: BigInt(bob) }
const says = (question: ViewQuestion): bigint | undefined => {
  if (question.of === "owner") return owners[question.tokenId]
  return question.of === "unit" ? 6n : 3n
}
const views = Layer.succeed(TokenViews, {
  ask: (_, questions) => Effect.succeed(questions.map(says)),
  perCall: () => 100,
}) as unknown as Layer.Layer<never>

const stores = {
  memory: async () => MemoryStore.layer,
  "PostgreSQL 18": async () => PostgresStore.layer({ url: await testDatabase() }),
}

describe.each(Object.entries(stores))("ids in doubt on %s", (_, makeStore) => {
  let service: TestService
  beforeAll(async () => {
    service = await startService({ storeLayer: await makeStore(), replace: views })
    // Of the one ledger they may be older; of the other the audit has found that the collection drifts.
    await store(service, "1", chainOf(120))
    await store(service, "43114", chainOf(0))
    const drifting = ChainId.make("43114")
    const breadth = { top: 0, recent: 0, places: [] }
    const { value } = await service.run(AuditStore.use((it) => it.sample(drifting, { tokens: [apes] }, breadth)))
    const record = { state: "drift" as const, blockNumber: 0, time: 1_700_000_012, compared: 1, watched: [] }
    await service.run(AuditStore.use((it) => it.record(drifting, [{ token: value[0]!.token, record }])))
  })
  afterAll(() => service.close())

  const rowsOf = async (path: string) => {
    const { status, body } = await service.get(path)
    expect([path, status]).toEqual([path, 200])
    return body.items.map((it: Json) => [it.tokenId, it.balance, it.source])
  }

  test.each(["1", "43114"])("each is asked about by its owner, of chain %s", async (chain) => {
    const wanted = [
      ["7", "1", "node"],
      ["9", "1", "ledger"],
    ]
    const query = "detail=ids&standard=erc721"
    expect(await rowsOf(`${prefix(chain)}/address/${ann}/tokens?${query}`)).toEqual(wanted)
    expect(await rowsOf(`${prefix(chain)}/tokens-of?address=${ann},${bob}&${query}`)).toEqual(wanted)
    // The collection is a number of ids, and as of a block it is the ledger's to tell.
    expect(await rowsOf(`${prefix(chain)}/address/${ann}/tokens?standard=erc721`)).toEqual([[undefined, "3", "node"]])
    const then = await rowsOf(`${prefix(chain)}/address/${ann}/tokens?${query}&blockNumber=${chain === "1" ? 120 : 0}`)
    expect(then).toEqual(["7", "8", "9"].map((id) => [id, "1", undefined]))
  })

  test("an id of an ERC-1155 has what the contract says of it", async () => {
    const rows = await rowsOf(`${prefix("1")}/address/${ann}/tokens?detail=ids&standard=erc1155`)
    expect(rows).toEqual([["5", "6", "node"]])
  })
})

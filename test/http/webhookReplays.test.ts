/** A replay, and a webhook that begins behind an id: the rows that its receiver may have are not forgotten while they may be taken back. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryWebhooks from "../../src/adapters/memory/MemoryWebhooks.ts"
import { endOfBlock } from "../../src/model/events/place.ts"
import { positionsOf, positionText } from "../../src/model/events/position.ts"
import type { Webhook } from "../../src/model/events/webhook.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { type Json, sha256, startService, type TestService } from "./support.ts"

const key = "the-manager"
const [zero, gold, ann, bob] = [address(0), address(0x70), address(0xa1), address(0xb2)]
const chainId = ChainId.make("43114")

let service: TestService
/** What somebody else does just before the next change is written. */
let between: (id: string) => Effect.Effect<unknown, unknown> = () => Effect.void
/** One, whichever side asks. */
let memory: WebhookStore["Service"]
beforeAll(async () => {
  memory = await Effect.runPromise(Effect.provide(WebhookStore, MemoryWebhooks.layer))
  const store = Layer.succeed(WebhookStore, {
    ...memory,
    change: (id, patch, seen) =>
      Effect.suspend(() => {
        const first = between
        between = () => Effect.void
        return Effect.andThen(Effect.orDie(first(id)), memory.change(id, patch, seen))
      }),
  })
  service = await startService({ managersSha256: [sha256(key)], replace: store as unknown as Layer.Layer<never> })
  const writer = await service.open(chainId)
  const chain = new TestChain()
  for (let block = 0; block < 10; block++) chain.block([transfer(gold, zero, ann, 1n)])
  await service.run(writer.append(chain.segment(0, undefined, { finalizedBlock: 4 })))
})
afterAll(() => service.close())

const ask = async (method: string, path: string, body?: object) => {
  const sent = { method, headers: { apikey: key }, ...(body && { body: JSON.stringify(body) }) }
  const response = await service.fetch(`/v2/webhooks${path}`, sent)
  return { status: response.status, body: (await response.json()) as Json }
}
const make = async (fields: object = {}) => {
  const { status, body } = await ask("POST", "", { url: "https://example.com/", chainIds: [chainId], ...fields })
  expect(status).toBe(201)
  return body as { readonly id: string; readonly after: string }
}
const found = async (id: string): Promise<Webhook> => (await Effect.runPromise(memory.find(id)))!
const begin = (id: string, awaited: Webhook["awaited"]) =>
  Effect.flatMap(memory.find(id), (webhook) =>
    memory.begin(webhook!, { id: "msg_1", body: "{}", positions: "", awaited }),
  )
const narrowed = async (id: string) => (await ask("PATCH", `/${id}`, { filter: { address: [bob] } })).status
/** At the end of a block, where the blocks up to 4 are final. */
const at = async (block: number) => {
  const { after } = await make()
  const { hash: _, ...now } = positionsOf(after)!.get(chainId)!
  return positionText({ ...now, at: endOfBlock(block), final: Math.min(4, block) })
}

test("a batch that a replay gives up may have been taken: a narrower filter waits until its rows are final", async () => {
  const { id } = await make()
  await Effect.runPromise(begin(id, { [chainId]: [8, 9] }))
  expect((await ask("POST", `/${id}/replay?after=beginning`)).status).toBe(200)
  const { awaited, batch } = await found(id)
  expect([awaited, batch]).toEqual([{ [chainId]: [8, 9] }, undefined])
  expect(await narrowed(id)).toBe(400)
})

test("so it is with one that begins, or goes on, behind an id: its receiver has the rows up to there", async () => {
  const { id } = await make({ after: await at(9) })
  expect((await found(id)).awaited).toEqual({ [chainId]: [5, 9] })
  expect(await narrowed(id)).toBe(400)
  const other = await make()
  await Effect.runPromise(begin(other.id, { [chainId]: [9, 9] }))
  expect((await ask("POST", `/${other.id}/replay?after=${await at(6)}`)).status).toBe(200)
  expect((await found(other.id)).awaited).toEqual({ [chainId]: [5, 9] })
})

test("who begins at now, at the beginning or behind what is final has no row that may be taken back", async () => {
  for (const fields of [{}, { after: "beginning" }, { after: await at(4) }, { after: await at(2) }]) {
    const { id } = await make(fields)
    expect([(await found(id)).awaited, await narrowed(id)]).toEqual([{}, 200])
  }
  const { id } = await make({ after: await at(9), delivery: "finalized" })
  expect([(await found(id)).awaited, await narrowed(id)]).toEqual([{}, 200])
})

test("a batch that goes out at the very moment of a replay is not forgotten", async () => {
  const { id } = await make()
  between = (it) => begin(it, { [chainId]: [7, 7] })
  expect((await ask("POST", `/${id}/replay?after=beginning`)).status).toBe(200)
  const { awaited, state, positions } = await found(id)
  expect([awaited, state, positions]).toEqual([{ [chainId]: [7, 7] }, "active", ""])
})

/** A webhook's filter is changed by two at once: what the later one is compared with is what the earlier one has set. */
import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import * as MemoryWebhooks from "../../src/adapters/memory/MemoryWebhooks.ts"
import type { WebhookPatch } from "../../src/model/events/webhook.ts"
import { WebhookStore } from "../../src/ports/WebhookStore.ts"
import { address } from "../support/chain/testChain.ts"
import { type Json, sha256, startService } from "./support.ts"

const key = "the-manager"
const [ann, bob, cid] = [address(0xa1), address(0xb2), address(0xc3)]

/** Asks for `filter`; just before it is written somebody else sets `other`, and a row is told that is not final. */
const changed = async (filter: object, other: WebhookPatch["filter"] & object, isTold: boolean) => {
  let isFirst = true
  const store = Layer.effect(
    WebhookStore,
    Effect.map(WebhookStore, (memory) =>
      WebhookStore.of({
        ...memory,
        change: Effect.fnUntraced(function* (id, patch, seen) {
          if (isFirst) {
            isFirst = false
            yield* memory.change(id, { filter: other })
            const webhook = (yield* memory.find(id))!
            const batch = { id: "msg_1", body: "{}", positions: "", awaited: { "43114": [7, 7] as const } }
            if (isTold) yield* memory.settle(webhook, batch)
          }
          return yield* memory.change(id, patch, seen)
        }),
      }),
    ),
  ).pipe(Layer.provide(MemoryWebhooks.layer))
  const service = await startService({
    managersSha256: [sha256(key)],
    replace: store as unknown as Layer.Layer<never>,
  })
  const ask = async (method: string, path: string, body?: object) => {
    const sent = { method, headers: { apikey: key }, ...(body && { body: JSON.stringify(body) }) }
    const response = await service.fetch(`/v2/webhooks${path}`, sent)
    return { status: response.status, body: (await response.json()) as Json }
  }
  try {
    const { body } = await ask("POST", "", {
      ...{ url: "https://example.com/", chainIds: ["43114"], after: "beginning" },
      filter: { address: [ann] },
    })
    const { status } = await ask("PATCH", `/${body.id}`, { filter })
    return [status, (await ask("GET", `/${body.id}`)).body.filter]
  } finally {
    await service.close()
  }
}

test("a filter that was wider than the one before is refused where it is not wider than the one that came between", async () => {
  const [mine, other] = [{ address: [ann, bob] }, { address: [ann, cid] }]
  expect(await changed(mine, other, true)).toEqual([400, other])
  // Nothing was told by it.
  expect(await changed(mine, other, false)).toEqual([200, mine])
  const widest = { address: [ann, bob, cid] }
  expect(await changed(widest, other, true)).toEqual([200, widest])
})

/** When the service itself fails: what the caller is told in both styles, what the log gets, and what a caller who leaves stops. */
import { describe, expect, test } from "bun:test"
import { Deferred, Effect, Layer } from "effect"
import type { StoreError } from "../../../src/model/errors.ts"
import { QueryTooSlow, StoreUnavailable } from "../../../src/model/errors.ts"
import { SupplyStore } from "../../../src/ports/SupplyStore.ts"
import { SyncStatus } from "../../../src/ports/SyncStatus.ts"
import { TokenStore } from "../../../src/ports/TokenStore.ts"
import { always } from "../../support/always.ts"
import { checkCommonHeaders, prefix, type ServiceOptions, startService } from "../support.ts"
import { gold, startWorld } from "../world.ts"

const native = `${prefix("43114")}/erc20`
const compat = `${prefix("43114")}/compat/api?module=stats&action=tokensupply&contractaddress=${gold}`

/** A store whose every read is `read`. */
const broken = (read: Effect.Effect<never, StoreError>): ServiceOptions => ({
  replace: Layer.merge(Layer.succeed(TokenStore, always(read)), Layer.succeed(SupplyStore, always(read))),
})

const both = async ({ seed, ...options }: ServiceOptions & { readonly seed?: boolean }) => {
  const service = await (seed === true ? startWorld(options) : startService(options))
  const answers = []
  for (const path of [native, compat]) {
    const response = await service.fetch(path)
    checkCommonHeaders(response)
    answers.push({
      status: response.status,
      retryAfter: response.headers.get("retry-after"),
      body: await response.json(),
    })
  }
  await service.close()
  return { answers, log: service.logs.join("\n") }
}

const secret = "postgres://cowry:hunter2@db.internal/cowry select * from balance"

test("500: no internals in the text; the log has them", async () => {
  const { answers, log } = await both(broken(Effect.die(new Error(secret))))
  expect(answers).toEqual([
    {
      status: 500,
      retryAfter: null,
      body: {
        statusCode: 500,
        code: "INTERNAL",
        error: "Internal Server Error",
        message: "the service failed to answer, its log has the cause",
      },
    },
    { status: 500, retryAfter: null, body: { status: "0", message: "NOTOK", result: "Internal error" } },
  ])
  expect(log).toContain(secret)
})

test("an answer that is no JSON is a 500 as well", async () => {
  const answer = Effect.succeed({ asOf: [], value: { items: [1n], keys: [], hasMore: false } })
  const { answers } = await both(broken(answer as unknown as Effect.Effect<never>))
  expect(answers[0]?.status).toBe(500)
})

test("503 (store unreachable; `Retry-After`), the cause in the log alone", async () => {
  const { answers, log } = await both(broken(Effect.fail(new StoreUnavailable({ cause: new Error(secret) }))))
  const message = "the store cannot be reached at the moment, try again shortly"
  expect(answers).toEqual([
    {
      status: 503,
      retryAfter: "5",
      body: { statusCode: 503, code: "UNAVAILABLE", error: "Service Unavailable", message },
    },
    { status: 503, retryAfter: null, body: { status: "0", message: "NOTOK", result: message } },
  ])
  expect(log).toContain(secret)
})

test("504 (query too slow) names a narrower query", async () => {
  const message = "add tokenAddress"
  const { answers } = await both(broken(Effect.fail(new QueryTooSlow({ message }))))
  expect(answers).toEqual([
    { status: 504, retryAfter: null, body: { statusCode: 504, code: "TIMEOUT", error: "Gateway Timeout", message } },
    { status: 504, retryAfter: null, body: { status: "0", message: "NOTOK", result: message } },
  ])
})

describe("a request that takes longer than its time", () => {
  test("is a 504, and its work is interrupted", async () => {
    const stopped: Array<string> = []
    const read = Effect.never.pipe(Effect.onInterrupt(() => Effect.sync(() => stopped.push("stopped"))))
    const { answers } = await both({ ...broken(read), requestTimeoutMs: 20 })
    const message = "the answer takes too long: ask for less, by a smaller limit or a narrower filter"
    expect(answers.map(({ status, body }) => [status, (body as { message: string }).message])).toEqual([
      [504, message],
      [504, "NOTOK"],
    ])
    expect(stopped).toEqual(["stopped", "stopped"])
  })
})

test("a client that leaves interrupts its query", async () => {
  const started = Deferred.makeUnsafe<void>()
  const interrupted = Deferred.makeUnsafe<void>()
  const read = Deferred.succeed(started, undefined).pipe(
    Effect.andThen(Effect.never),
    Effect.onInterrupt(() => Deferred.succeed(interrupted, undefined)),
  )
  const service = await startService(broken(read))
  const client = new AbortController()
  const response = service.fetch(native, { signal: client.signal })
  await Effect.runPromise(Deferred.await(started))
  client.abort()
  await Effect.runPromise(Deferred.await(interrupted))
  checkCommonHeaders(await response)
  expect((await response).status).toBe(503)
  expect(service.logs).toEqual([])
  await service.close()
})

test("an answer that is made where the pipeline itself failed has its style, and the headers of every answer", async () => {
  const { answers, log } = await both({
    replace: Layer.succeed(SyncStatus, {
      list: () => [],
      find: () => {
        throw new Error(secret)
      },
      update: () => {},
    }),
    seed: true,
  })
  expect(answers.map(({ status, body }) => [status, body])).toEqual([
    [
      500,
      {
        statusCode: 500,
        code: "INTERNAL",
        error: "Internal Server Error",
        message: "the service failed to answer, its log has the cause",
      },
    ],
    [500, { status: "0", message: "NOTOK", result: "Internal error" }],
  ])
  expect(log).toContain(secret)
})

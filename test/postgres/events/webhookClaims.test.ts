/** What one instance alone delivers, when the session that says so goes silent without an end. */
import { afterAll, beforeAll, expect, test } from "bun:test"
import { setTimeout as pause } from "node:timers/promises"
import { Effect, type Scope } from "effect"
import { makeClient } from "../../../src/adapters/postgres/database/client.ts"
import type { DatabaseShape } from "../../../src/adapters/postgres/database/Database.ts"
import { openClaims } from "../../../src/adapters/postgres/registry/webhookClaims.ts"
import type { WebhookClaims } from "../../../src/ports/WebhookStore.ts"
import { type Cuttable, startCuttable } from "../../support/nodes/cuttable.ts"
import { testDatabase } from "../../support/postgres.ts"

let line: Cuttable
let url: string
beforeAll(async () => {
  const over = new URL(await testDatabase())
  line = await startCuttable("127.0.0.1", Number(over.port))
  over.port = String(line.port)
  url = over.href
})
afterAll(() => line.stop())

const connect: DatabaseShape["connect"] = (settings) => makeClient({ ...settings, url })
const database = { schema: "cowry", connect } as DatabaseShape

const claiming = <A>(
  times: Parameters<typeof openClaims>[1],
  body: (claims: WebhookClaims) => Effect.Effect<A, unknown, Scope.Scope>,
) => Effect.runPromise(Effect.scoped(Effect.flatMap(openClaims(database, times), body)))

// Each takes another one: the server's end of a line that was hushed stands on.
test.each(["take", "release"] as const)("over a silent connection a %s ends, and all that was taken is lost", (what) =>
  claiming({ answerMs: 300, lookMs: 600_000 }, (claims) =>
    Effect.gen(function* () {
      expect(yield* claims.take(what)).toBe(true)
      line.hush()
      const exit = yield* Effect.exit(what === "take" ? claims.take("another") : claims.release(what))
      expect([exit._tag, claims.isLost()]).toEqual([what === "take" ? "Failure" : "Success", true])
    }),
  ),
)

test("that the connection is silent is found out where nothing is asked of it, and it stands while it is not", () =>
  claiming({ answerMs: 300, lookMs: 50 }, (claims) =>
    Effect.gen(function* () {
      expect(yield* claims.take("looked at")).toBe(true)
      yield* Effect.sleep("1 second")
      expect(claims.isLost()).toBe(false)
      line.hush()
      yield* Effect.promise(async () => {
        while (!claims.isLost()) await pause(10)
      })
    }),
  ))

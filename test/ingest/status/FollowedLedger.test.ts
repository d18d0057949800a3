/** Work beside a ledger: it begins when one is opened and has ended before it is closed, whatever becomes of the work. */
import { expect, test } from "bun:test"
import { Deferred, Effect, Exit, Fiber, Latch, Logger, Scope } from "effect"
import { type Followed, type FollowedLedger, makeFollowed } from "../../../src/domain/ingest/status/FollowedLedger.ts"
import { ChainId } from "../../../src/model/primitives.ts"
import { settled as manyTurns } from "../../support/failure.ts"

interface Scene {
  readonly followed: Followed
  /** What happened, in order. */
  readonly told: Array<string>
  readonly lines: Array<string>
  /** Opens the ledger of this name; gives what closes it. */
  readonly open: (name: string) => Effect.Effect<Effect.Effect<void>>
}

const inScene = (play: (scene: Scene) => Effect.Effect<void>): Promise<void> => {
  const told: Array<string> = []
  const lines: Array<string> = []
  const scene = Effect.gen(function* () {
    const followed = yield* makeFollowed(ChainId.make("1"))
    const open = Effect.fnUntraced(function* (name: string) {
      const scope = yield* Scope.make()
      yield* Scope.addFinalizer(
        scope,
        Effect.sync(() => void told.push(`${name} is closed`)),
      )
      yield* Scope.provide(followed.publish(ledgerOf(name)), scope)
      yield* settled
      return Effect.andThen(Scope.close(scope, Exit.void), settled)
    })
    yield* play({ followed, told, lines, open })
  })
  const logger = Logger.layer([Logger.make(({ message }) => void lines.push(String([message].flat()[0])))])
  return Effect.runPromise(Effect.provide(scene, logger))
}

/** All that can run has run. */
const settled = Effect.promise(manyTurns)

/** Its name is its chain's head. */
const ledgerOf = (name: string) =>
  ({ nodeHead: () => Number(name), news: () => Latch.makeUnsafe() }) as unknown as FollowedLedger

/** Goes on until it is ended, and takes its time about that. */
const work = (told: Array<string>, kind: string) => (ledger: FollowedLedger) =>
  Effect.sync(() => void told.push(`${kind} begins beside ${ledger.nodeHead()}`)).pipe(
    Effect.andThen(Effect.never),
    Effect.ensuring(
      Effect.andThen(
        settled,
        Effect.sync(() => void told.push(`${kind} ends`)),
      ),
    ),
  )

test("begins with each ledger that is opened, and has ended before that is closed", () =>
  inScene(({ followed, told, open }) =>
    Effect.gen(function* () {
      yield* Effect.forkChild(followed.whileOpen(work(told, "work")))
      yield* settled
      expect(told).toEqual([])
      const closeFirst = yield* open("1")
      expect(told).toEqual(["work begins beside 1"])
      yield* closeFirst
      expect(told.splice(0)).toEqual(["work begins beside 1", "work ends", "1 is closed"])
      const closeSecond = yield* open("2")
      yield* closeSecond
      expect(told).toEqual(["work begins beside 2", "work ends", "2 is closed"])
    }),
  ))

test("that comes late begins at once, and with none before a ledger is open", () =>
  inScene(({ followed, told, open }) =>
    Effect.gen(function* () {
      const close = yield* open("1")
      yield* Effect.forkChild(followed.whileOpen(work(told, "work")))
      yield* settled
      expect(told).toEqual(["work begins beside 1"])
      yield* close
      yield* Effect.forkChild(followed.whileOpen(work(told, "more")))
      yield* settled
      expect(told).toEqual(["work begins beside 1", "work ends", "1 is closed"])
    }),
  ))

test("ends where it is asked to, and the ledger stays open", () =>
  inScene(({ followed, told, open }) =>
    Effect.gen(function* () {
      const fiber = yield* Effect.forkChild(followed.whileOpen(work(told, "work")))
      yield* open("1")
      yield* Fiber.interrupt(fiber)
      expect(told).toEqual(["work begins beside 1", "work ends"])
    }),
  ))

test("that breaks is named in the log and begins again with the next ledger; what goes on beside it does not notice", () =>
  inScene(({ followed, told, lines, open }) =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<void>()
      const broken = (ledger: FollowedLedger) =>
        Effect.sync(() => void told.push(`it begins beside ${ledger.nodeHead()}`)).pipe(
          Effect.andThen(Deferred.await(gate)),
          Effect.andThen(Effect.die(new Error("a bug"))),
        )
      yield* Effect.forkChild(followed.whileOpen(broken))
      yield* Effect.forkChild(followed.whileOpen(work(told, "work")))
      const close = yield* open("1")
      yield* Deferred.succeed(gate, undefined)
      yield* settled
      expect(lines).toEqual(["chain 1: what is done beside its ledger ended"])
      expect(told.splice(0)).toEqual(["it begins beside 1", "work begins beside 1"])
      yield* close
      expect(told.splice(0)).toEqual(["work ends", "1 is closed"])
      yield* open("2")
      expect(told).toEqual(["it begins beside 2", "work begins beside 2"])
    }),
  ))

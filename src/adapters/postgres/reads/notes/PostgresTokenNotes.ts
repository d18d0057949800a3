/** The TokenNotes port in PostgreSQL: what changed is written, then tokens are marked as their notes say. */
import { Array as Arr, Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import { TokenNotes } from "../../../../ports/TokenNotes.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { changesOf, type StoredNote } from "./changes.ts"
import { dropNotes, type Marked, markTokens, putNotes } from "./writeNotes.ts"

/** Notes or tokens that one statement writes at most: none takes long, or holds the ledger's writer up. */
const mostAtOnce = 5000

export const layer = Layer.effect(
  TokenNotes,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const { database } = across
    const { sql } = database
    const run = <Row extends object>(statement: () => Fragment) => database.query(() => sql<Array<Row>>`${statement()}`)
    return TokenNotes.of({
      record: Effect.fnUntraced(function* (chainId, notes) {
        const [chain] = yield* across.opened([chainId])
        if (chain === undefined) return "absent"
        const stored = yield* run<StoredNote>(() => sql`select n.address, n.digest from ${chain.tokenNote} n`)
        const { put, gone } = changesOf(stored, notes)
        for (const part of Arr.chunksOf(put, mostAtOnce))
          yield* database.transact((tx, runIn) => putNotes({ tx, run: runIn }, chain, part))
        for (const part of Arr.chunksOf(gone, mostAtOnce)) yield* run(() => dropNotes(chain, part))
        for (;;) {
          const [{ found, marked } = { found: 0, marked: 0 }] = yield* run<Marked>(() => markTokens(chain, mostAtOnce))
          if (found === 0) return "all"
          if (marked === 0) return "partly"
        }
      }),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** The AccountMarks port in PostgreSQL. */
import { Array as Arr, Effect, Layer } from "effect"
import type { Address, ChainId } from "../../../../../model/primitives.ts"
import type { Standard } from "../../../../../model/token.ts"
import { AccountMarks, type MarkSample, type MarkWindow } from "../../../../../ports/AccountMarks.ts"
import { type ChainSql, standardNumbers } from "../../../database/chainSql.ts"
import type { Transaction } from "../../../database/Database.ts"
import * as AcrossChains from "../../common/acrossChains.ts"
import { transferFeed } from "../../feed/feed.ts"
import { countAccount } from "./countAccount.ts"
import { type CountedRows, countingParameters, selectCounted, selectSample } from "./countRows.ts"
import { beginAnew, forgetPart, type GoneMark, holdCounted, type Progress, selectProgress } from "./progress.ts"
import { storeCounted, storeMarks } from "./storeMarks.ts"

/** Rows from mark to mark: a mark takes some 130 bytes, a page is walked to over as many rows at most. */
const defaultStride = 100
/** Marks of a transaction that stores those of an account's past, or takes some away: tenths of a second. */
const defaultAtOnce = 10_000

/** Accounts of a sample, those with most rows. */
const mostSampled = 10_000
const standards: ReadonlyArray<Standard> = ["erc20", "erc721", "erc1155"]

export const layerWith = ({
  stride = defaultStride,
  atOnce = defaultAtOnce,
}: {
  readonly stride?: number
  readonly atOnce?: number
} = {}) =>
  Layer.effect(
    AccountMarks,
    Effect.gen(function* () {
      const across = yield* AcrossChains.AcrossChains
      const { database } = across
      const openedOne = (chainId: ChainId) => Effect.map(across.opened([chainId]), ([chain]) => chain)
      /** Of each standard. */
      const readEach = async <A>(
        { tx, run }: Transaction,
        chain: ChainSql,
        select: (standard: Standard) => ReturnType<typeof selectCounted>,
      ) => {
        const settings = JSON.stringify(countingParameters)
        await run(tx`
          select set_config(name, value, true) from json_each_text(${settings}::text::json) as setting (name, value)`)
        const found: Array<readonly [Standard, A]> = []
        for (const standard of standards) {
          const [row] = await run(across.prepared([chain], tx<[{ found: A }]>`select (${select(standard)}) as found`))
          found.push([standard, row.found])
        }
        return found
      }
      const startAnew = Effect.fnUntraced(function* (chain: ChainSql, progress: Progress) {
        const { generation, next } = progress
        if (generation !== null && next !== null) {
          for (let after: GoneMark | undefined, isOver = false; !isOver; isOver = after === undefined) {
            const part = { after, most: atOnce }
            after = yield* database.transact((tx, run) =>
              forgetPart({ tx, run }, chain, { generation, from: next }, part),
            )
          }
        }
        return yield* database.transact((tx, run) => beginAnew({ tx, run }, chain, progress, stride))
      })
      return AccountMarks.of({
        next: Effect.fnUntraced(function* (chainId, blocks) {
          const chain = yield* openedOne(chainId)
          if (chain === undefined) return undefined
          const [row] = yield* database.query(
            () => database.sql<[{ progress: Progress | null }]>`select (${selectProgress(chain)}) as progress`,
          )
          const { progress } = row!
          if (progress === null || progress === undefined) return undefined
          const { generation, next, changed, end, rollbacks } = progress
          const holds = generation !== null && next !== null && !changed && progress.stride === stride
          const { from, ...counted } = holds ? { generation, from: next } : yield* startAnew(chain, progress)
          return from >= end
            ? undefined
            : {
                ...counted,
                ...{ rollbacks, from, to: Math.min(from + blocks, end), end },
                isFirst: from <= progress.first,
              }
        }),
        sample: Effect.fnUntraced(function* (chainId, from, blocks) {
          const chain = yield* openedOne(chainId)
          const none: MarkSample = { rows: 0, accounts: [] }
          if (chain === undefined) return none
          const part = { from, to: from + blocks }
          type Found = { readonly rows: number; readonly accounts: ReadonlyArray<{ address: Address; rows: number }> }
          const found = yield* database.snapshot((tx, run) =>
            readEach<Found>({ tx, run }, chain, (standard) =>
              selectSample(transferFeed(chain, standard), part, mostSampled),
            ),
          )
          return {
            rows: found.reduce((sum, [, { rows }]) => sum + rows, 0),
            accounts: found.flatMap(([standard, { accounts }]) => accounts.map((it) => ({ standard, ...it }))),
          }
        }),
        begin: Effect.fnUntraced(function* (chainId, window, account, least) {
          const chain = yield* openedOne(chainId)
          if (chain === undefined) return 0
          const { address, standard } = account
          const feed = transferFeed(chain, standard)
          const { found, counted } = window.isFirst
            ? { found: least, counted: { account: address, rows: 0, marks: [] } }
            : yield* countAccount(across, feed, window, address, { least, stride })
          if (counted === undefined) return found
          // Before the account itself: who has none is not read by marks, and a mark of a final row stays true.
          for (const marks of Arr.chunksOf(counted.marks, atOnce)) {
            const held = yield* database.transact(async (tx, run) => {
              const isHeld = await holdCounted({ tx, run }, chain, window)
              if (isHeld) await storeMarks({ tx, run }, chain, standard, [{ ...counted, marks }])
              return isHeld
            })
            if (!held) return found
          }
          yield* database.transact(async (tx, run) => {
            if (!(await holdCounted({ tx, run }, chain, window))) return
            await run(tx`
              insert into ${chain.markedAccount} (account, standard, rows)
              values (${address}::bytea, ${standardNumbers[standard]}::int2, ${counted.rows}) on conflict do nothing`)
          })
          return found
        }),
        count: Effect.fnUntraced(function* (chainId, window: MarkWindow) {
          const chain = yield* openedOne(chainId)
          if (chain === undefined) return
          yield* database.transact(async (tx, run) => {
            // Held first: an account that another begins to count after that is counted from the next window on.
            if (!(await holdCounted({ tx, run }, chain, window))) return
            const found = await readEach<ReadonlyArray<CountedRows>>({ tx, run }, chain, (standard) =>
              selectCounted(transferFeed(chain, standard), window, stride),
            )
            for (const [standard, counted] of found) await storeCounted({ tx, run }, chain, standard, counted)
            // A later one may have been found to change no row meanwhile.
            await run(tx`
              update ${chain.marking} m
              set next_block = ${window.to}, rollback_no = greatest(m.rollback_no, ${window.rollbacks})`)
          })
        }),
      })
    }),
  ).pipe(Layer.provide(AcrossChains.layer))

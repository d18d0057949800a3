/** The EventStore port in PostgreSQL: one statement a slice. */
import { Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import { behind, endOfBlock } from "../../../../model/events/place.ts"
import type { Hash } from "../../../../model/primitives.ts"
import { standards } from "../../../../model/token.ts"
import { type EventSlice, EventStore, type EventsQuery, type LedgerMark } from "../../../../ports/EventStore.ts"
import { ReadFor } from "../../../../ports/ReadFor.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import type { TransferRow } from "../transfers/record.ts"
import { selectHashAt, selectMark, selectSwaps, selectTokens, selectTransfers } from "./columns.ts"
import { type CorrectionRow, correctionOf, selectCorrection } from "./corrections.ts"
import { merged, type SwapEventRow, swapEvent, type TokenEventRow, tokenEvent, transferEvent } from "./record.ts"
import { watchLedgers } from "./watch.ts"

interface Row {
  readonly erc20: Array<TransferRow>
  readonly erc721: Array<TransferRow>
  readonly erc1155: Array<TransferRow>
  readonly swaps: Array<SwapEventRow>
  readonly tokens: Array<TokenEventRow>
  readonly hash_at?: Hash
  readonly correction?: CorrectionRow
  readonly mark?: {
    readonly finalized: number
    readonly finalized_hash: Hash | null
    readonly settings: string
    readonly birth: string
    readonly corrections: number
  }
}

const none: Row = { erc20: [], erc721: [], erc1155: [], swaps: [], tokens: [] }

const columnsOf = (chain: ChainSql, { since, ...query }: EventsQuery): Fragment => {
  const slice = { ...query, onlyFinal: query.onlyFinal === true }
  return chain.sql`
    (${selectTransfers(chain, "erc20", slice)}) as erc20, (${selectTransfers(chain, "erc721", slice)}) as erc721,
    (${selectTransfers(chain, "erc1155", slice)}) as erc1155, (${selectSwaps(chain, slice)}) as swaps,
    (${selectTokens(chain, slice)}) as tokens, (${selectMark(chain)}) as mark,
    (${selectHashAt(chain, slice)}) as hash_at
    ${since === undefined ? chain.sql`` : chain.sql`, (${selectCorrection(chain, since)}) as correction`}`
}

export const layer = Layer.effect(
  EventStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains
    const sliceOf = (query: EventsQuery, row: Row, asOf: ReadonlyArray<LedgerMark["asOf"]>): EventSlice | undefined => {
      const [only] = asOf
      if (only === undefined || row.mark === undefined) return undefined
      const { chainId, limit, onlyFinal } = query
      const { finalized, finalized_hash, settings, birth, corrections } = row.mark
      const lists = [
        ...standards.map((standard) => row[standard].map((each) => transferEvent(standard, each))),
        row.swaps.map(swapEvent),
        row.tokens.map((each) => tokenEvent(chainId, each)),
      ]
      const { events, last } = merged(lists, limit)
      const end = endOfBlock(onlyFinal === true ? finalized : only.blockNumber)
      return {
        mark: {
          asOf: only,
          finalizedBlock: finalized,
          ...(finalized_hash === null ? {} : { finalizedHash: finalized_hash }),
          settings,
          birth,
          corrections,
        },
        events,
        to: last === undefined ? end : behind(last),
        hasMore: last !== undefined,
        ...(row.correction === undefined ? {} : { correction: correctionOf(chainId, row.correction) }),
        ...(row.hash_at === undefined ? {} : { hashAt: row.hash_at }),
      }
    }
    return EventStore.of({
      read: (query) =>
        Effect.map(
          across.readOne(query.chainId, none, (chain) => columnsOf(chain, query)),
          ({ asOf, value }) => sliceOf(query, value, asOf),
        ),
      readHead: (query) =>
        across
          .probe(undefined, [query.chainId], none, (_, [chain]) => columnsOf(chain, query))
          .pipe(
            Effect.map(({ asOf, value }) => sliceOf(query, value, asOf)),
            // Hundreds of commits a second are as many of these: the places of `/ready` are not all theirs.
            Effect.provideService(ReadFor, { caller: "", isCostly: true }),
          ),
      watch: (wake) => watchLedgers(across.database, wake),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

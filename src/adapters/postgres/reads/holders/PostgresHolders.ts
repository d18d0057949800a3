/** The HolderStore port in PostgreSQL. */
import { Effect, Layer } from "effect"
import type { Fragment } from "postgres"
import type { StoreError } from "../../../../model/errors.ts"
import type { HolderKey } from "../../../../model/holder.ts"
import { countUpTo, type Snapshot } from "../../../../model/page.ts"
import type { Address, ChainId } from "../../../../model/primitives.ts"
import type { Standard } from "../../../../model/token.ts"
import { HolderStore, type HoldersQuery } from "../../../../ports/HolderStore.ts"
import type { ChainSql } from "../../database/chainSql.ts"
import * as AcrossChains from "../common/acrossChains.ts"
import { comparable } from "../common/atBlock.ts"
import { cut, isFirst, isFirstPage } from "../common/page.ts"
import { isPartial } from "../common/partial.ts"
import { pinColumn, pinOf } from "../common/pin.ts"
import { selectFirstTokenId, selectTokenId } from "../common/tokenIds.ts"
import { selectBalance, selectSupply } from "./balances.ts"
import { isNarrowed, type Wanted } from "./byRank.ts"
import { selectUnits } from "./holdings.ts"
import { makeListHoldings } from "./listHoldings.ts"
import { type PageRow, rowsOfLines, selectLines, selectPage, selectTotal } from "./rankedPage.ts"
import type { At } from "./rankedPageAt.ts"
import { holderLine, holderTable, type LineReader, type RankedTable, unitLine, unitTable } from "./rankedTable.ts"
import { aheadOf, ranksOf, selectAhead } from "./ranks.ts"
import { wholeTokenParameters } from "./versions.ts"

export const layer = Layer.effect(
  HolderStore,
  Effect.gen(function* () {
    const across = yield* AcrossChains.AcrossChains

    /**
     * `columns` give a `page`. As of a block: by what changed since where that is little, else by all rows of the token.
     * `readNear`: how the first of the two is read; absent = by itself.
     */
    const readPage = Effect.fnUntraced(function* <Key>(
      chainId: ChainId,
      blockNumber: number | undefined,
      columns: (chain: ChainSql, at: At | undefined) => Fragment,
      readNear?: (blockNumber: number) => Effect.Effect<Snapshot<Partial<PageRow<Key>>>, StoreError>,
    ) {
      const none: PageRow<Key> = { page: { rows: [] } }
      const read = (at: At | undefined) =>
        across.readOne<Partial<PageRow<Key>>>(chainId, {}, (chain) => columns(chain, at))
      const near = yield* blockNumber === undefined
        ? read(undefined)
        : (readNear?.(blockNumber) ?? read({ blockNumber, way: "near" }))
      if (blockNumber === undefined || near.asOf.length === 0 || near.value.page !== undefined) {
        return { asOf: near.asOf, value: { ...none, ...near.value } }
      }
      const at: At = { blockNumber, way: "far" }
      return yield* across.readOne(chainId, none, (chain) => columns(chain, at), wholeTokenParameters)
    })

    const readList = Effect.fnUntraced(function* <Key extends HolderKey>(
      tableOf: (chain: ChainSql, codes?: boolean) => RankedTable<Key>,
      recordOf: LineReader<Key>,
      standard: Standard,
      query: HoldersQuery<Key>,
      ranked = false,
    ) {
      const { chainId, token, page, count, blockNumber, minBalance, addresses, codes, excludeContracts } = query
      const narrowed = {
        ...(minBalance && { minBalance }),
        ...(addresses && { addresses }),
        ...(excludeContracts && { excludeContracts }),
      }
      // Ranks are counted from the rows, in the same statement.
      const asLines = !ranked && codes !== true && blockNumber === undefined
      const wanted = { place: page, limit: page.limit + 1, count, narrowed }
      const each = addresses !== undefined || excludeContracts === true
      const known = aheadOf(page, each)
      const columns = (chain: ChainSql, address: Address | Fragment, at: At | undefined) => {
        const { sql } = chain
        const tokenId = selectTokenId(chain, standard, address)
        const isWhole = sql`exists (select from ${chain.token} k where k.token_id = (${tokenId}) and not ${isPartial(chain)})`
        const supply = sql`,
          case when ${isWhole} then (${selectSupply(chain, tokenId, at?.blockNumber)})::text end as supply`
        const table = tableOf(chain, codes)
        const more = sql`${standard === "erc1155" ? sql`` : supply} ${pinColumn(chain, at?.blockNumber, page)}`
        if (asLines) {
          const total = count ? sql`, (${selectTotal(table, tokenId, wanted)}) as total` : sql``
          return sql`(${selectLines(table, tokenId, wanted)}) as lines ${total} ${more}`
        }
        const rows = selectPage(table, tokenId, wanted, at)
        if (!ranked || known !== undefined) return sql`(${rows}) as page ${more}`
        const ahead = selectAhead(chain, tokenId, each ? page.limit : 1)
        return sql`x.page, (${ahead}) as ahead ${more} from (select (${rows}) as page offset 0) x`
      }
      const none: PageRow<Key> = { page: { rows: [] } }
      const isPlain = isFirst(page) && !count && !ranked && codes !== true && !isNarrowed(narrowed)
      /** It may look through many rows: nobody else's question is joined with it. */
      const readNear = (block: number) =>
        across.readAlone<Partial<PageRow<Key>>>(
          chainId,
          `${standard} holders ${page.limit} near`,
          {},
          [token, comparable(block)],
          (chain, [of, then]) => chain.sql`select ${columns(chain, of!, { blockNumber: then!, way: "near" })}`,
        )
      const { asOf, value } = yield* isPlain && asLines
        ? across[isFirstPage(page) ? "readJoined" : "readFew"]<PageRow<Key>>(
            chainId,
            `${standard} holders ${page.limit}`,
            none,
            [token],
            (chain, [of]) => chain.sql`select ${columns(chain, of!, undefined)}`,
          )
        : readPage<Key>(chainId, blockNumber, (chain, at) => columns(chain, token, at), isPlain ? readNear : undefined)
      const backward = page.before !== undefined
      const { rows: found, hasMore } = cut(
        page,
        value.lines === undefined ? value.page.rows : rowsOfLines(value.lines, (line) => recordOf(chainId, line)),
      )
      const ranks = ranked ? ranksOf(known ?? value.ahead ?? [], found.length, { each, backward }) : []
      const rows = ranked
        ? found.map((key, row) => (ranks[row] === undefined ? key : { ...key, rank: ranks[row] }))
        : found
      // Lines were read into records already.
      const items = asLines
        ? (rows as ReadonlyArray<ReturnType<typeof recordOf>>)
        : rows.map((row) => ({ chainId, ...row }))
      return {
        asOf,
        value: {
          items,
          keys: items,
          hasMore,
          ...(value.supply === undefined ? {} : { supply: value.supply }),
          ...(count
            ? { count: countUpTo(value.total ?? value.page.total ?? 0, (minBalance ?? excludeContracts) === undefined) }
            : {}),
          ...pinOf(value.pin),
        },
      }
    })

    /** Holders of what a contract is where no standard is named. */
    const readHolders = (
      chainId: ChainId,
      token: Address,
      wanted: Wanted<HolderKey>,
      blockNumber: number | undefined,
    ) =>
      readPage<HolderKey>(chainId, blockNumber, (chain, at) => {
        const tokenId = selectFirstTokenId(chain, token)
        return chain.sql`(${selectPage(holderTable(chain), tokenId, wanted, at)}) as page`
      })

    return HolderStore.of({
      list: (standard, query) => readList(holderTable, holderLine, standard, query, query.rank),
      listErc1155: (query) => readList(unitTable, unitLine, "erc1155", query),
      listWindow: Effect.fnUntraced(function* (chainId, token, window, blockNumber) {
        const { page, offset: limit } = window
        const wanted = { place: {}, limit, offset: (page - 1) * limit, count: false }
        const { asOf, value } = yield* readHolders(chainId, token, wanted, blockNumber)
        return { asOf, value: value.page.rows.map((key) => ({ chainId, ...key })) }
      }),
      count: (chainId, token, blockNumber) => {
        if (blockNumber === undefined) {
          const read = across.readJoined(chainId, "holders", { holders: 0 }, [token], (chain, [of]) => {
            const tokenId = selectFirstTokenId(chain, of!)
            return chain.sql`select (select s.holders from ${chain.tokenStat} s where s.token_id = (${tokenId})) as holders`
          })
          return Effect.map(read, ({ asOf, value }) => ({ asOf, value: value.holders }))
        }
        const wanted = { place: {}, limit: 0, count: true }
        const read = readHolders(chainId, token, wanted, blockNumber)
        return Effect.map(read, ({ asOf, value }) => ({ asOf, value: value.page.total ?? 0 }))
      },
      findBalance: (chainId, token, holder, blockNumber) => {
        const at = blockNumber === undefined ? [] : [comparable(blockNumber)]
        const none = { balance: "0" }
        const read = across.readJoined(
          chainId,
          `balance ${at.length}`,
          none,
          [token, holder, ...at],
          (chain, [of, by, block]) => {
            const balance = selectBalance(chain, selectFirstTokenId(chain, of!), by!, block)
            return chain.sql`select coalesce((${balance}), 0)::text as balance`
          },
        )
        return Effect.map(read, ({ asOf, value }) => ({ asOf, value: value.balance }))
      },
      listUnits: Effect.fnUntraced(function* (chainId, token, holder, window, blockNumber) {
        const none: { rows: Array<readonly [tokenId: string, balance: string]> } = { rows: [] }
        const { asOf, value } = yield* across.readOne(
          chainId,
          none,
          (chain) => chain.sql`(${selectUnits(chain, token, holder, window, blockNumber)}) as rows`,
        )
        return { asOf, value: value.rows.map(([tokenId, balance]) => ({ tokenId, balance })) }
      }),
      listHoldings: makeListHoldings(across),
    })
  }),
).pipe(Layer.provide(AcrossChains.layer))

/** The TokenHistories port in memory. */
import { Effect, Layer } from "effect"
import type { PageRequest } from "../../model/page.ts"
import type { Address } from "../../model/primitives.ts"
import type { FeedRange } from "../../model/transfer.ts"
import type { BlockKey } from "../../model/wallet/histories.ts"
import { type StoredChange, TokenHistories } from "../../ports/TokenHistories.ts"
import { doubtOf, partialityOf } from "./audits.ts"
import { balanceOf } from "./balances.ts"
import { erc20s } from "./erc20s.ts"
import { pinOf } from "./pin.ts"
import { compareText, pageOf } from "./rows.ts"
import {
  type MemoryChain,
  MemoryChains,
  type MemoryToken,
  snapshotOf,
  storedChains,
  tokenOf,
  tokensAt,
} from "./state.ts"
import { blockAt, hourOf, knownTimes, priceAt } from "./times.ts"
import { timeOf, versionedToken, versionsOf } from "./versions.ts"

type Direction = "asc" | "desc"
const byBlock =
  (direction: Direction) =>
  (a: BlockKey, b: BlockKey): number =>
    direction === "asc" ? a.blockNumber - b.blockNumber : b.blockNumber - a.blockNumber

export const layer = Layer.effect(
  TokenHistories,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const counted = (count: boolean, total: number) =>
      count ? { count: { count: total, countType: "exact" as const } } : {}
    return TokenHistories.of({
      versions: ({ chainId, what, range, direction, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const [chain] = stored
          const token = versionedToken(chain, what)
          const rows = chain && token ? versionsOf(chain, token, what) : []
          const inRange = rows.filter(({ blockNumber }) => isIn(chain!, range, blockNumber))
          const keyOf = ({ blockNumber }: BlockKey) => ({ blockNumber })
          return snapshotOf(stored, {
            ...pageOf(inRange, keyOf, byBlock(direction), page),
            standards: tokensAt(chain, what.token).map(({ standard }) => standard),
            ...partialityOf(chain, token),
            ...counted(count, inRange.length),
            ...walkPin(chain, page),
          })
        }),
      prices: ({ chainId, token, from = 0, to = Infinity, direction, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const points = [...(tokenOf(stored[0], "erc20", token)?.pricePoints ?? [])]
            .sort(([a], [b]) => a - b)
            .map(([hour, point], place, all) => {
              const [nextHour, next] = all[place + 1] ?? [Infinity, point]
              return {
                hour,
                ...point,
                ...(next.untilHour < nextHour && { untilHour: Math.min(point.untilHour, nextHour - 1) }),
              }
            })
            .filter(({ hour, untilHour }) => untilHour >= hour)
            .map(({ hour, untilHour, price }) => ({
              hour,
              ...(untilHour === Infinity ? {} : { untilHour }),
              price: String(price),
            }))
            .filter(({ hour }) => hour >= from && hour <= to)
          const compare = (a: { hour: number }, b: { hour: number }) =>
            direction === "asc" ? a.hour - b.hour : b.hour - a.hour
          return snapshotOf(stored, {
            ...pageOf(points, ({ hour }) => ({ hour }), compare, page),
            ...counted(count, points.length),
          })
        }),
      pricesAt: (chainId, address, hours) =>
        Effect.sync(() => {
          const token = tokenOf(storedChains(chains, [chainId])[0], "erc20", address)
          const decimals = token?.description?.decimals
          return { ...(decimals === undefined ? {} : { decimals }), prices: hours.map((hour) => textAt(token, hour)) }
        }),
      diff: ({ chainId, token: address, from, to = Infinity, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const token = tokenOf(stored[0], "erc20", address)
          const rows = [...(token?.balances.keys() ?? [])].flatMap((holder): ReadonlyArray<StoredChange> => {
            if (holder.length !== 42) return []
            const [before, after] = [balanceOf(token, holder, from), balanceOf(token, holder, to)]
            return before === after
              ? []
              : [{ address: holder as Address, before: String(before), after: String(after) }]
          })
          return snapshotOf(stored, {
            ...pageOf(
              rows,
              (row) => ({ address: row.address }),
              (a, b) => compareText(a.address, b.address),
              page,
            ),
            ...counted(count, rows.length),
            ...partialityOf(stored[0], token),
            ...pinOf(stored[0], to, page),
          })
        }),
      touched: ({ chainId, holder, range, direction, page }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const [chain] = stored
          const blocks = erc20s(chain).flatMap((token) =>
            (token.balances.get(holder) ?? []).map(({ blockNumber }) => blockNumber),
          )
          const rows = [...new Set(blocks)].filter((block) => isIn(chain!, range, block))
          const found = pageOf(rows, (blockNumber) => ({ blockNumber }), byBlock(direction), page)
          return snapshotOf(stored, { ...found, ...walkPin(chain, page) })
        }),
      series: ({ chainId, holder, moments, onlyTrusted, standards = ["erc20"], page }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const [chain] = stored
          if (chain === undefined) return snapshotOf(stored, { points: [], tokens: [] })
          const points =
            "times" in moments
              ? moments.times.map((time) => ({
                  blockNumber: Math.min(blockAt(chain, time), moments.upTo ?? Number.POSITIVE_INFINITY),
                  hour: Math.floor(time / 3600),
                }))
              : moments.blocks.map((block) => ({
                  blockNumber: block,
                  hour: hourOf(chain, block),
                  ...timeOf(chain, block),
                }))
          const tokens = (standards.includes("erc20") ? erc20s(chain) : [])
            .filter(({ address }) => !onlyTrusted || chain.notes.get(address)?.trusted === true)
            .flatMap((token) => {
              const last = points.at(-1)?.blockNumber ?? -1
              const versions = (token.balances.get(holder) ?? [])
                .filter(({ blockNumber }) => blockNumber <= last)
                .map(({ blockNumber, balance }) => [blockNumber, String(balance)] as const)
                .reverse()
              if (versions.length === 0) return []
              const prices = points.map(({ hour }) => textAt(token, hour))
              const logoUri = chain.notes.get(token.address)?.texts.image
              const doubt = doubtOf(chain, token)
              const facts = {
                ...token.description,
                ...(logoUri === undefined ? {} : { logoUri }),
                ...(doubt === undefined ? {} : { doubt }),
              }
              return [{ tokenAddress: token.address, ...facts, versions, prices }]
            })
          const { rollbacks } = page
          const pin = pinOf(chain, page.key?.blockNumber ?? 0, {
            limit: 1,
            ...(rollbacks === undefined ? {} : { rollbacks }),
          })
          const native = standards.includes("native") ? nativeFacts(chain, "times" in moments) : () => ({})
          return snapshotOf(stored, { points: points.map((it) => ({ ...it, ...native(it) })), tokens, ...pin })
        }),
    })
  }),
)

const nativeFacts = (chain: MemoryChain, areTimes: boolean) => {
  const known = knownTimes(chain)
  return ({ blockNumber }: BlockKey) => {
    const hash = chain.headers.find(({ number }) => number === blockNumber)?.hash
    const since = known.find(({ number }) => number === blockNumber)?.time
    const next = known.find(({ number }) => number > blockNumber)
    return {
      ...(hash === undefined ? {} : { hash }),
      ...(since === undefined || !areTimes ? {} : { since }),
      ...(next === undefined || !areTimes ? {} : { next: { blockNumber: next.number, time: next.time } }),
    }
  }
}

const textAt = (token: MemoryToken | undefined, hour: number): string | null => priceAt(token, hour)?.toString() ?? null

const walkPin = (chain: MemoryChain | undefined, page: PageRequest<BlockKey>) =>
  pinOf(chain, (page.after ?? page.before)?.blockNumber ?? 0, page)

const isIn = (
  chain: MemoryChain,
  { blockNumberFrom = 0, blockNumberTo = Infinity, timestampFrom, timestampTo, finalized }: FeedRange,
  block: number,
): boolean =>
  block >= blockNumberFrom &&
  block <= blockNumberTo &&
  (timestampFrom === undefined || block > blockAt(chain, timestampFrom - 1)) &&
  (timestampTo === undefined || block <= blockAt(chain, timestampTo)) &&
  (finalized === undefined || block <= chain.finalizedBlock)

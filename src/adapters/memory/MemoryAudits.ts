/** The AuditStore port in memory. */
import { Effect, Layer } from "effect"
import { auditStates, type TokenAudit } from "../../model/audit.ts"
import { compareChainIds, zeroAddress } from "../../model/primitives.ts"
import { standards } from "../../model/token.ts"
import {
  type AuditChoice,
  type AuditCounts,
  type AuditKey,
  AuditStore,
  type FoundAudit,
  type FoundContract,
  tooManyRows,
} from "../../ports/AuditStore.ts"
import { auditOf, partialityOf, rowsOfContract, sampleOf } from "./audits.ts"
import { holdersOf, sentByItself } from "./balances.ts"
import { compareText, pageOf } from "./rows.ts"
import { type MemoryChain, MemoryChains, type MemoryToken, snapshotOf, storedChains, tokensAt } from "./state.ts"

/** Of each standard, so many tokens count as the most active, and so many as the most held. */
const mostActive = 50

export const layer = Layer.effect(
  AuditStore,
  Effect.gen(function* () {
    const chains = yield* MemoryChains
    const tokensOf = (chain: MemoryChain | undefined) => [...(chain?.tokens.values() ?? [])].sort(byPlace)
    return AuditStore.of({
      sample: (chainId, choice, breadth) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const chain = stored[0]
          if (chain === undefined) return snapshotOf(stored, [])
          const chosen =
            "due" in choice ? dueOf(chain, choice) : [...new Set(choice.tokens)].flatMap((it) => tokensAt(chain, it))
          return snapshotOf(
            stored,
            chosen.map((token) => sampleOf(chain, token, breadth)),
          )
        }),
      storedRows: (chainId, address, range, most = Number.POSITIVE_INFINITY) =>
        Effect.suspend(() => {
          const stored = storedChains(chains, [chainId])
          const rows = stored.flatMap((chain) => rowsOfContract(chain, address, range))
          return rows.length > most ? Effect.fail(tooManyRows(most)) : Effect.succeed(snapshotOf(stored, rows))
        }),
      sentByItself: (chainId, token, blockNumber) =>
        Effect.sync(() => sentByItself(chains.get(chainId), token, blockNumber)),
      record: (chainId, audits) =>
        Effect.sync(() => {
          const chain = chains.get(chainId)
          const found = audits.flatMap(({ token: { standard, address, firstBlock, firstLogIndex }, record }) =>
            tokensAt(chain, address)
              .filter((it) => it.standard === standard)
              .filter((it) => it.firstBlock === firstBlock && it.firstLogIndex === firstLogIndex)
              .filter((it) => record.blockNumber >= Math.min(blockOf(it), chain?.head?.number ?? -1))
              .map((token) => ({ token, record })),
          )
          for (const { token, record } of found) token.audit = record
          if (chain !== undefined && found.length > 0) chain.revision++
        }),
      find: (chainId, address) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const value = tokensAt(stored[0], address).map((token) => foundAudit(stored[0]!, token))
          const kept = stored[0]?.settings.tokens?.map((it) => it.toLowerCase())
          const isNotKept = value.length === 0 && kept?.includes(address) === false
          const isOdd = value.length === 0 && stored[0]?.oddLogs.some((it) => it.contract === address && !it.hasRows)
          const found: FoundContract = {
            ...snapshotOf(stored, value),
            ...(isNotKept && { isNotKept }),
            ...(isOdd === true && { isOdd }),
          }
          return found
        }),
      findMany: (chainId, addresses) =>
        Effect.sync(() => {
          const stored = storedChains(chains, [chainId])
          const found = [...new Set(addresses)].toSorted(compareText).flatMap((it) => tokensAt(stored[0], it))
          return snapshotOf(
            stored,
            found.map((token) => foundAudit(stored[0]!, token)),
          )
        }),
      list: ({ chains: ids, state, tokens, page, count }) =>
        Effect.sync(() => {
          const stored = storedChains(chains, ids)
          const audits = stored
            .flatMap((chain) => tokensOf(chain).map((token) => auditOf(chain.settings.chainId, token)))
            .filter((audit) => state === undefined || audit.state === state)
            .filter(({ address }) => tokens === undefined || tokens.includes(address))
          const rows = pageOf(audits, keyOf, compareKeys, page)
          return snapshotOf(stored, {
            ...rows,
            ...(count ? { count: { count: audits.length, countType: "exact" as const } } : {}),
          })
        }),
      counts: (chainId) =>
        Effect.sync(() => {
          const states = tokensOf(chains.get(chainId)).map((token) => token.audit?.state ?? "unverified")
          return Object.fromEntries(
            auditStates.map((state) => [state, states.filter((it) => it === state).length]),
          ) as unknown as AuditCounts
        }),
    })
  }),
)

const foundAudit = (chain: MemoryChain, token: MemoryToken): FoundAudit => {
  const { differed } = token.audit ?? {}
  return {
    ...auditOf(chain.settings.chainId, token),
    ...(differed === undefined ? {} : { differed }),
    ...partialityOf(chain, token),
  }
}

const dueOf = (
  chain: MemoryChain,
  { due, from = zeroAddress }: Extract<AuditChoice, { readonly due: number }>,
): ReadonlyArray<MemoryToken> => {
  const tokens = [...chain.tokens.values()].sort(byPlace)
  const few = Math.ceil(due / 4)
  const longestAgo = (a: MemoryToken, b: MemoryToken) => blockOf(a) - blockOf(b) || byPlace(a, b)
  const doubted = tokens.filter(({ audit }) => audit?.state === "drift").sort(longestAgo)
  const mostBy = (size: (token: MemoryToken) => number) =>
    standards.flatMap((standard) =>
      tokens
        .filter((token) => token.standard === standard)
        .toSorted((a, b) => size(b) - size(a) || compareText(a.address, b.address))
        .slice(0, mostActive),
    )
  const active = [...new Set([...mostBy((it) => activity(chain, it)), ...mostBy(holderCount)])].sort(longestAgo)
  const never = tokens.filter(({ audit }) => audit === undefined)
  const isBefore = ({ address }: MemoryToken) => compareText(address, from) < 0
  const unseen = [...never.filter((token) => !isBefore(token)), ...never.filter(isBefore)].slice(0, due)
  const stale = tokens
    .filter(({ audit }) => audit !== undefined)
    .toSorted((a, b) => blockOf(a) - blockOf(b) || byPlace(a, b))
  return [
    ...new Set([
      ...doubted.slice(0, few),
      ...active.slice(0, few),
      ...unseen,
      ...stale.slice(0, Math.max(few, due - unseen.length)),
    ]),
  ]
}

const blockOf = ({ audit }: MemoryToken): number => audit?.blockNumber ?? -1

/** Transfers of the last 24 hours. */
const activity = ({ transfers, head }: MemoryChain, { standard, address }: MemoryToken): number =>
  transfers.filter((row) => row.standard === standard && row.token === address && row.time > (head?.time ?? 0) - 86_400)
    .length

const holderCount = (token: MemoryToken): number => holdersOf(token).length

const byPlace = (a: MemoryToken, b: MemoryToken): number =>
  compareText(a.address, b.address) || standards.indexOf(a.standard) - standards.indexOf(b.standard)

const keyOf = ({ chainId, address, standard }: TokenAudit): AuditKey => ({ chainId, address, standard })

const compareKeys = (a: AuditKey, b: AuditKey): number =>
  compareChainIds(a.chainId, b.chainId) ||
  compareText(a.address, b.address) ||
  standards.indexOf(a.standard) - standards.indexOf(b.standard)

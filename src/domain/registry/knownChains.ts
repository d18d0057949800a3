/** Which chains this process answers for: its own by its settings, the others as the processes that follow them tell of them. */
import { noFaults } from "../../model/fault.ts"
import { type ChainId, compareChainIds } from "../../model/primitives.ts"
import type { RegisteredChain, RegistryLook } from "../../ports/ChainRegistry.ts"
import type { Chain, Networks, Role } from "../../ports/Networks.ts"
import type { ChainSyncStatus, SyncStatus } from "../../ports/SyncStatus.ts"

export interface KnownChains {
  readonly networks: Networks["Service"]
  /** All that any process follows, of a writer too: it sends webhooks of them. */
  readonly followed: Networks["Service"]
  readonly syncStatus: SyncStatus["Service"]
  /** What the registry says now; `now`: steady milliseconds. */
  readonly take: (look: RegistryLook, now: number) => void
  /** The registry could not be read: what was known stays. `why` in plain words; undefined = it was. */
  readonly fail: (why: string | undefined) => void
}

interface Own {
  readonly role: Role
  /** By this process's settings; of a reader those whose nodes it may ask, no more. */
  readonly chains: ReadonlyArray<Chain>
  readonly status: SyncStatus["Service"]
}

const writerOnly =
  "this process follows chains and answers nothing of them (ROLE=writer): ask one of role reader or both"

export const makeKnownChains = ({ role, chains: configured, status }: Own): KnownChains => {
  const own = role === "reader" ? [] : configured
  const ownIds = new Set(own.map(({ chainId }) => chainId))
  let chains: ReadonlyArray<Chain> = own
  let followed: ReadonlyArray<Chain> = own
  let statuses = new Map<ChainId, ChainSyncStatus>()
  /** Of chains of its own whose ledgers are waited for: the word that the first look found. It may be this process's, or of the one before it. */
  let foundWords = new Map<ChainId, number | undefined>()
  /** When somebody told meanwhile that such a chain is followed, steady milliseconds. */
  let toldOfOwn = new Map<ChainId, number>()
  let problems = new Map<ChainId, string>()
  let problem = role === "reader" ? "the registry was not read yet" : undefined
  let view = 0
  /** Statuses come and go with every look, and no answer is made of them. */
  const counting = (learn: () => void): void => {
    const [beforeChains, beforeProblems, before] = [chains, problems, problem]
    learn()
    const isSame = before === problem && areSame(beforeChains, chains) && areSameTexts(beforeProblems, problems)
    if (!isSame) view++
  }
  const refusal = (asked: ReadonlyArray<ChainId>): string | undefined => {
    if (role === "writer") return writerOnly
    if (problem !== undefined) return problem
    if (problems.size === 0) return undefined
    const found = asked.flatMap((chainId) => problems.get(chainId) ?? [])
    return found.length === 0 ? undefined : found.join("; ")
  }
  const ownStatus = (chainId: ChainId): ChainSyncStatus | undefined => {
    const found = status.find(chainId)
    const toldAt = toldOfOwn.get(chainId)
    // Who has the ledger open told that itself.
    return found?.awaitsLedger !== true || toldAt === undefined ? found : { ...found, toldAt }
  }
  const find = (chainId: ChainId) => (ownIds.has(chainId) ? ownStatus(chainId) : statuses.get(chainId))
  return {
    networks: {
      get chains() {
        return chains
      },
      role,
      problem: () => problem,
      refusal,
      view: () => view,
    },
    followed: {
      get chains() {
        return followed
      },
      role,
    },
    syncStatus: {
      list: () => chains.flatMap(({ chainId }) => find(chainId) ?? []),
      find,
      update: status.update,
    },
    take: (look, now) =>
      counting(() => {
        if (role === "reader") problem = look.problem
        if (look.problem !== undefined) {
          // What they are made by now cannot be known; its own ledgers are held by this process, whatever the registry is.
          const why = look.problem
          problems = new Map([...statuses.keys()].map((chainId) => [chainId, why]))
          return
        }
        const awaited = look.chains.filter(({ chainId }) => ownIds.has(chainId) && status.find(chainId)?.awaitsLedger)
        foundWords = new Map(
          awaited.map(({ chainId, word }) => [chainId, foundWords.has(chainId) ? foundWords.get(chainId) : word]),
        )
        toldOfOwn = new Map(awaited.flatMap((it) => (it.word === foundWords.get(it.chainId) ? [] : toldOf(it, now))))
        const others = look.chains.filter(({ chainId, served }) => served !== undefined && !ownIds.has(chainId))
        followed = [...own, ...others.map(({ served }) => served!)].sort((a, b) =>
          compareChainIds(a.chainId, b.chainId),
        )
        // A writer tells of what it follows itself.
        if (role === "writer") return
        chains = followed
        if (role === "reader" && chains.length === 0) problem = noChain
        statuses = new Map(others.map((it) => [it.chainId, statusOf(it, now)]))
        // Of its own chains, too, until their tables are brought up to date here: an older version may still write them.
        problems = new Map(
          look.chains.flatMap((it) => (it.problem === undefined ? [] : [[it.chainId, it.problem] as const])),
        )
      }),
    fail: (why) =>
      counting(() => {
        // A store that does not answer is told of by what is asked of it; a chain list that was never read is not.
        if (role === "reader" && chains.length === 0) problem = why ?? problem
      }),
  }
}

/** The very same: what is learned of a chain is one object until its settings change. */
const areSame = (before: ReadonlyArray<Chain>, now: ReadonlyArray<Chain>): boolean =>
  before.length === now.length && before.every((chain, index) => chain === now[index])

const areSameTexts = (before: ReadonlyMap<ChainId, string>, now: ReadonlyMap<ChainId, string>): boolean =>
  before.size === now.size && [...before].every(([chainId, text]) => now.get(chainId) === text)

const noChain = "no process has told of a chain that it follows: it is waited for"

const toldOf = (
  { chainId, status, toldMs }: RegisteredChain,
  now: number,
): ReadonlyArray<readonly [ChainId, number]> =>
  status === undefined || status.phase === "stopped" || toldMs === undefined ? [] : [[chainId, now - toldMs]]

/** What the process that follows it told last, by this process's clock. */
const statusOf = (
  { chainId, served, status, toldMs, statusAgeMs, problem }: RegisteredChain,
  now: number,
): ChainSyncStatus => {
  const { startBlock, maxLag, pollMs } = served!
  const { problem: told, ...known } = status ?? nothingTold
  const said = problem ?? told
  return {
    ...known,
    chainId,
    firstBlock: status?.firstBlock ?? startBlock,
    maxLag,
    pollMs,
    elsewhere: true,
    ...(said !== undefined && { problem: said }),
    ...(toldMs !== undefined && { toldAt: now - toldMs }),
    ...(status !== undefined && statusAgeMs !== undefined && { heardAt: now - statusAgeMs }),
  }
}

const nothingTold: Omit<ChainSyncStatus, "chainId" | "firstBlock" | "maxLag" | "pollMs"> = {
  phase: "waiting",
  logs: 0,
  logsPerSecond: 0,
  blocksPerSecond: 0,
  skipped: { malformed: 0, unknownPool: 0 },
  reorgs: { count: 0, blocks: 0, deepest: 0 },
  healed: 0,
  faults: noFaults,
  problem: "no process that follows the chain has told how it is doing",
}

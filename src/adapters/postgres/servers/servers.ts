/** The servers of a reader: looked at again and again, and one of them chosen. */
import { Effect, Result } from "effect"
import postgres from "postgres"
import type { StoreError } from "../../../model/errors.ts"
import { steadyMillis } from "../../../model/time/steadyClock.ts"
import type { ReadServer } from "../../../ports/ReadServers.ts"
import { connectionOf, labelOf } from "../database/connectionUrl.ts"
import type { DatabaseShape } from "../database/Database.ts"
import { saidOf } from "../database/pool.ts"
import { tlsFault } from "../url/tls.ts"
import { type Checked, makeChecks } from "./checks.ts"
import { type Candidate, chooseServer, problemOf } from "./choose.ts"
import { lagOf, makeTrails, noteLook } from "./lag.ts"
import { makeOtherLogs } from "./logs.ts"
import { makeLook } from "./look.ts"

export interface Server extends Checked {
  /** Never shown. */
  readonly url: string
  readonly isPrimary: boolean
  readonly database: DatabaseShape
}

export interface Servers {
  readonly all: ReadonlyArray<Server>
  /** Where reads go now. */
  readonly used: () => Server
  /** It did not answer: until the next look it is passed over, where there is another. */
  readonly failed: (server: Server) => void
  /** Why it may not be read; undefined = nothing is known that says so. */
  readonly obstacleOf: (server: Server) => string | undefined
  /** When what the last look made necessary to know of servers is known. */
  readonly settled: () => Promise<unknown>
  /** Whether any of them lays schemas on workers: told by each that answered once. */
  readonly distributed: () => boolean
  readonly list: () => ReadonlyArray<ReadServer>
  /** Never fails: a server that does not answer is one that is passed over. */
  readonly look: Effect.Effect<void>
}

/** `all`: in order of preference, the primary last; at least one. */
export const makeServers = (all: ReadonlyArray<Server>, maxLagMs: number): Servers => {
  const trails = makeTrails()
  const otherLogs = makeOtherLogs()
  const looks = new Map(all.map((server) => [server, makeLook(server.database)]))
  const states = new Map<Server, Candidate>(
    all.map((server) => [server, { isPrimary: server.isPrimary, isAwaited: true }]),
  )
  /** Milliseconds by which the clock of each is ahead of the primary's, as they were last heard together. */
  const ahead = new Map<Server, number>()
  const distributed = new Set(all.filter(({ database }) => database.distributed()))
  let used = all[0]!
  let wasLooked = false
  /** Those that were found to tell nothing of their log. */
  const mute = new Set<Server>()
  /** Why it does not answer, as the log was told last: a read that fails forgets what the look found. */
  const told = new Map<Server, string | undefined>()
  /** Told at the next look. */
  const changed = new Set<Server>()
  const checks = makeChecks<Server>((server) => {
    changed.add(server)
    choose()
  })
  const candidates = () =>
    all.map((server): Candidate => {
      const obstacle = checks.obstacleOf(server)
      return { ...states.get(server)!, ...(obstacle !== undefined && { obstacle }) }
    })
  const choose = () => {
    const chosen = all[chooseServer(candidates(), maxLagMs)]!
    const isOther = chosen !== used
    used = chosen
    return isOther
  }
  const lookAtOne = Effect.fnUntraced(function* (server: Server) {
    const result = yield* Effect.result(looks.get(server)!)
    const look = Result.isSuccess(result) ? result.success : undefined
    const silence = Result.isFailure(result) ? silenceOf(server, result.failure) : undefined
    const now = yield* steadyMillis
    checks.seen(server, look !== undefined)
    return { server, look, silence, at: now }
  })
  return {
    all,
    used: () => used,
    failed: (server) => {
      states.set(server, { isPrimary: server.isPrimary, isAwaited: true })
      choose()
    },
    obstacleOf: checks.obstacleOf,
    settled: checks.settled,
    distributed: () => distributed.size > 0,
    list: () =>
      candidates().map((state, place) => {
        const server = all[place]!
        const problem = wasLooked ? problemOf(state, maxLagMs) : undefined
        return {
          label: labelOf(server.url),
          isPrimary: server.isPrimary,
          isStandby: state.look?.isStandby ?? !server.isPrimary,
          takesWrites: state.look?.takesWrites ?? false,
          isReached: state.look !== undefined && state.obstacle === undefined && state.isOfOtherLog !== true,
          ...(state.lagMs !== undefined && { lagMs: Math.round(state.lagMs) }),
          isUsed: server === used,
          ...(problem !== undefined && { problem }),
        }
      }),
    look: Effect.gen(function* () {
      const found = yield* Effect.forEach(all, lookAtOne, { concurrency: "unbounded" })
      const now = yield* steadyMillis
      const { primary, others } = otherLogs(found)
      if (primary?.look !== undefined) noteLook(trails, primary.look, primary.at)
      for (const { server, look, at } of found) {
        if (look?.clockMs === undefined || primary?.look?.clockMs === undefined) continue
        ahead.set(server, look.clockMs - at - (primary.look.clockMs - primary.at))
      }
      for (const { server, look, silence } of found) {
        if (look?.isDistributed) distributed.add(server)
        const isOfOtherLog = others.has(server)
        const lagMs = look && !isOfOtherLog ? lagOf(look, trails, now, primary?.look, ahead.get(server)) : undefined
        if (look !== undefined && look.place === undefined && !mute.has(server)) {
          mute.add(server)
          yield* Effect.logInfo(
            `${labelOf(server.url)} does not say how far its log has come: how far a standby is behind is told there by the newest transaction`,
          )
        }
        if (silence !== undefined && silence !== told.get(server))
          yield* Effect.logWarning(`${labelOf(server.url)} does not answer: ${silence}`)
        told.set(server, silence)
        states.set(server, {
          isPrimary: server.isPrimary,
          ...(look !== undefined && { look }),
          ...(silence !== undefined && { silence }),
          ...(isOfOtherLog && { isOfOtherLog }),
          ...(lagMs !== undefined && { lagMs }),
        })
      }
      wasLooked = true
      for (const server of changed) {
        const obstacle = checks.obstacleOf(server)
        if (obstacle === undefined) yield* Effect.logInfo(`${labelOf(server.url)} may be read again`)
        else yield* Effect.logError(`${labelOf(server.url)} is not read: ${obstacle}`)
      }
      changed.clear()
      if (choose() && all.length > 1)
        yield* Effect.logInfo(`reads go to ${labelOf(used.url)}${whyOf(candidates(), all, maxLagMs)}`)
    }),
  }
}

const whyOf = (candidates: ReadonlyArray<Candidate>, all: ReadonlyArray<Server>, maxLagMs: number): string => {
  const passed = candidates.flatMap((it, place) => {
    const problem = problemOf(it, maxLagMs)
    return problem === undefined ? [] : [`${labelOf(all[place]!.url)}: ${problem}`]
  })
  return passed.length === 0 ? "" : ` (${passed.join("; ")})`
}

/** In words of our own: a server's sentence may name a user or a database. Of one that is not there is nothing to say. */
const silenceOf = ({ url }: Server, error: StoreError): string | undefined => {
  if (error._tag !== "StoreUnavailable") return undefined
  const { cause } = error
  const ofTls = tlsFault(cause, connectionOf(url).tls)
  return ofTls ?? (cause instanceof postgres.PostgresError ? saidOf(cause) : undefined)
}

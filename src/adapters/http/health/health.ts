/** Whether the process lives, and whether every chain is near enough to its head to be asked. */
import { Effect, Schema } from "effect"
import { ChainId } from "../../../model/primitives.ts"
import type { ReadServer } from "../../../ports/ReadServers.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { statuses } from "../contract/statuses.ts"
import { readStates } from "./readiness.ts"

const alive = { status: "ok" }

/** Why nothing can be answered for before there is a store. */
export const starting = "the service starts, and its store is not open yet"

export const health: Endpoint = {
  id: "health",
  path: "/health",
  style: "native",
  about: { kind: "service" },
  open: true,
  beforeStore: { afterMs: 0, status: statuses.ok, body: alive },
  doc: {
    tag: "Health",
    summary: "Whether the process lives",
    query: {},
    body: Schema.Struct({ status: Schema.Literal("ok") }),
    faults: [],
  },
  answer: () => Effect.succeed({ asOf: [], body: alive, fleeting: true as const }),
}

const optionalNumber = Schema.optionalKey(Schema.Finite)
/** How a chain is doing; absent = unknown. */
const Readiness = Schema.Struct({
  chainId: ChainId,
  ready: Schema.Boolean.annotateKey({
    description: "Near enough to its head, its node speaks, and its requests are not refused here",
  }),
  phase: Schema.Literals(["waiting", "backfill", "copying", "deriving", "indexing", "live", "stopped"]).annotateKey({
    description: "What its ingestion does",
  }),
  elsewhere: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description: "Another process follows it, and told this; absent = this one does",
  }),
  headBlock: optionalNumber.annotateKey({ description: "The node's newest block" }),
  indexedBlock: optionalNumber.annotateKey({ description: "The newest block that is stored" }),
  lagBlocks: optionalNumber.annotateKey({ description: "How many blocks are between the two" }),
  maxLag: Schema.Finite.annotateKey({ description: "How many there may be" }),
  firstBlock: Schema.Finite.annotateKey({ description: "Where the stored history starts" }),
  logsPerSecond: Schema.Finite.annotateKey({ description: "How fast logs are stored" }),
  blocksPerSecond: Schema.Finite.annotateKey({ description: "How fast blocks are stored" }),
  done: optionalNumber.annotateKey({
    description: "Far behind the head: which share of the work is done, 0 to 1, weighted with what the blocks hold",
  }),
  secondsLeft: optionalNumber.annotateKey({ description: "How long it takes to the head at this pace" }),
  skipped: Schema.optionalKey(
    Schema.Struct({
      malformed: Schema.Finite.annotateKey({ description: "Logs of a shape that says nothing sure" }),
      unknownPool: Schema.Finite.annotateKey({
        description: "Swaps at what is no pool, or in one that nobody initialized",
      }),
      odd: Schema.Finite.annotateKey({ description: "Former name of `malformed`, for one version" }),
      poolless: Schema.Finite.annotateKey({ description: "Former name of `unknownPool`, for one version" }),
    }),
  ).annotateKey({ description: "Logs left out since the start; absent = none" }),
  reorgs: Schema.optionalKey(
    Schema.Struct({ count: Schema.Finite, blocks: Schema.Finite, deepest: Schema.Finite }),
  ).annotateKey({
    description: "Reorgs since the start, the blocks they took back, and the most that one did; absent = none",
  }),
  faults: Schema.optionalKey(Schema.Record(Schema.String, Schema.Finite)).annotateKey({
    description: "Answers of the node that were refused since the start, by what was wrong with them; absent = none",
  }),
  history: Schema.optionalKey(
    Schema.Struct({
      source: Schema.String.annotateKey({ description: "Scheme and host of the portal, or the folder's name" }),
      used: Schema.Boolean.annotateKey({ description: "Whether it is read at the moment" }),
      left: Schema.optionalKey(Schema.String).annotateKey({ description: "Why it is not; absent = it was not left" }),
      blocks: Schema.Finite.annotateKey({ description: "Blocks that came from it since the start" }),
      blocksOfNode: Schema.Finite.annotateKey({ description: "Blocks below finality that came from the node" }),
      blocksCompared: Schema.Finite.annotateKey({
        description: "Blocks of it that the node's own logs were held against",
      }),
    }),
  ).annotateKey({ description: "Where blocks below finality come from besides the node; absent = the node alone" }),
  prices: Schema.optionalKey(
    Schema.Struct({
      hoursLeft: Schema.Finite.annotateKey({ description: "Hours of the past that have no prices yet" }),
      from: Schema.optionalKey(Schema.String).annotateKey({
        description: "All hours from then on have theirs: the newest come first; absent = not known",
      }),
    }),
  ).annotateKey({ description: "How far prices of past hours are; absent = none are looked for, or not yet" }),
  problem: Schema.optionalKey(Schema.String).annotateKey({ description: "What keeps it from going on" }),
  note: Schema.optionalKey(Schema.String).annotateKey({ description: "What to know of its data" }),
}).annotate({ identifier: "Readiness" })

/** A database server that reads may go to. */
const Server = Schema.Struct({
  server: Schema.String.annotateKey({ description: "Scheme, host and port" }),
  used: Schema.Boolean.annotateKey({ description: "Whether reads go there now" }),
  standby: Schema.Boolean.annotateKey({ description: "Whether it replays another server's log" }),
  lagMs: optionalNumber.annotateKey({ description: "Milliseconds that it is behind, at most" }),
  problem: Schema.optionalKey(Schema.String).annotateKey({ description: "Why it is passed over" }),
}).annotate({ identifier: "ReadServer" })

const serverOf = ({ label, isUsed, isStandby, lagMs, problem }: ReadServer) => ({
  server: label,
  used: isUsed,
  standby: isStandby,
  ...(lagMs !== undefined && { lagMs }),
  ...(problem !== undefined && { problem }),
})

/** 503 with the state of each chain until all are ready and the store answers. */
export const ready: Endpoint = {
  id: "ready",
  path: "/ready",
  style: "native",
  about: { kind: "service" },
  open: true,
  beforeStore: {
    afterMs: 1_000,
    status: statuses.notReady,
    body: {
      status: "not ready",
      store: "unreachable",
      problem: starting,
      chains: [],
    },
  },
  doc: {
    tag: "Health",
    summary: "Whether the store answers and every chain is near its head",
    description: "503 with the same body until it is so. `degraded` where it is so and a chain has a `problem`.",
    query: {},
    body: Schema.Struct({
      status: Schema.Literals(["ready", "degraded", "not ready"]).annotate({
        description: "degraded = 200 too: every chain is near its head, and one has a `problem`",
      }),
      store: Schema.Literals(["ok", "unreachable"]),
      role: Schema.optionalKey(Schema.Literals(["writer", "reader"])).annotateKey({
        description: "ROLE: whether it only follows chains, or only answers; absent = both",
      }),
      servers: Schema.optionalKey(Schema.Array(Server)).annotateKey({
        description: "The database servers that reads may go to, in order; absent = the one that is written",
      }),
      keepsColumns: Schema.optionalKey(Schema.Literal(false)).annotateKey({
        description:
          "No server that takes writes is known: columns of transactions are read and not kept, and nobody is asked whether accounts of lists are contracts",
      }),
      problem: Schema.optionalKey(Schema.String).annotateKey({
        description: "Why nothing can be answered for as it should be; absent = it can",
      }),
      chains: Schema.Array(Readiness),
    }),
    otherStatuses: { [statuses.notReady]: "Not yet" },
    faults: [],
  },
  answer: Effect.fnUntraced(function* () {
    const { stored, chains, role, servers, problem, isReady } = yield* readStates
    const hasProblem = chains.some(({ state }) => state.problem !== undefined)
    return {
      asOf: [],
      fleeting: true as const,
      status: isReady ? statuses.ok : statuses.notReady,
      body: {
        status: !isReady ? "not ready" : hasProblem ? "degraded" : "ready",
        store: stored === undefined ? "unreachable" : "ok",
        ...(role !== undefined && role !== "both" && { role }),
        ...(servers.some(({ isPrimary, isStandby }) => isStandby || !isPrimary) && { servers: servers.map(serverOf) }),
        ...(servers.length > 0 && !servers.some(({ takesWrites }) => takesWrites) && { keepsColumns: false as const }),
        ...(problem !== undefined && { problem }),
        chains: chains.map(({ state }) => state),
      },
    }
  }),
}

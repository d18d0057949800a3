/** How the chains are doing, and whether the store answers. */
import { Effect } from "effect"
import { readStates } from "../health/readiness.ts"
import type { Family, Sample } from "./exposition.ts"
import { serverFamilies } from "./servers.ts"

type State = Effect.Success<typeof readStates>["chains"][number]

const phases: ReadonlyArray<State["status"]["phase"]> = [
  "waiting",
  "backfill",
  "copying",
  "deriving",
  "indexing",
  "live",
  "stopped",
]

export const chainFamilies = Effect.map(
  readStates,
  ({ stored, now, chains, role, servers, isReady }): ReadonlyArray<Family> => {
    const family = (
      name: string,
      type: "counter" | "gauge",
      help: string,
      samples: (chain: State) => number | undefined | ReadonlyArray<Sample>,
    ): Family => ({
      name: `cowry_${name}`,
      type,
      help,
      samples: chains.flatMap((chain) => {
        // What is counted is counted by the process that follows the chain.
        if (type === "counter" && chain.status.elsewhere) return []
        const found = samples(chain)
        const own = typeof found === "object" ? found : [{ value: found }]
        return own.map(({ labels, value }) => ({ labels: { chain: chain.status.chainId, ...labels }, value }))
      }),
    })
    const secondsSince = (at: number | undefined) => (at === undefined ? undefined : (now - at) / 1000)
    return [
      {
        name: "cowry_store_up",
        type: "gauge",
        help: "Whether the store answers.",
        samples: [{ value: Number(stored !== undefined) }],
      },
      {
        name: "cowry_ready",
        type: "gauge",
        help: "Whether /ready is 200.",
        samples: [{ value: Number(isReady) }],
      },
      {
        name: "cowry_role",
        type: "gauge",
        help: "1 for what this process does: ROLE.",
        samples: role === undefined ? [] : [{ labels: { role }, value: 1 }],
      },
      ...serverFamilies(servers),
      family("chain_elsewhere", "gauge", "1 for each chain that another process follows.", ({ status }) =>
        status.elsewhere ? 1 : undefined,
      ),
      family(
        "chain_ready",
        "gauge",
        "Whether the chain is near enough to its head, its node speaks, and it is answered for.",
        ({ state }) => Number(state.ready),
      ),
      family("chain_phase", "gauge", "What its ingestion does: 1 for the phase it is in.", ({ state }) =>
        phases.map((phase) => ({ labels: { phase }, value: Number(state.phase === phase) })),
      ),
      family("chain_problem", "gauge", "Whether something is wrong at the moment: /ready and the log say what.", (it) =>
        Number(!it.isWell),
      ),
      family("chain_standby", "gauge", "1 while this process waits for what another one follows.", (it) =>
        it.status.elsewhere ? undefined : Number(it.isStandby),
      ),
      family("chain_head_block", "gauge", "The node's newest block.", ({ state }) => state.headBlock),
      family("chain_indexed_block", "gauge", "The newest block stored.", ({ state }) => state.indexedBlock),
      family("chain_indexed_block_timestamp_seconds", "gauge", "That block's time.", ({ asOf }) => asOf?.time),
      family(
        "chain_finalized_block",
        "gauge",
        "The newest block that can never be taken back.",
        ({ status }) => status.finalizedBlock,
      ),
      family("chain_first_block", "gauge", "Where the stored history starts.", ({ state }) => state.firstBlock),
      family(
        "chain_lag_blocks",
        "gauge",
        "How many blocks the node is ahead of the store.",
        ({ state }) => state.lagBlocks,
      ),
      family(
        "chain_max_lag_blocks",
        "gauge",
        "How many there may be while the chain is ready.",
        ({ state }) => state.maxLag,
      ),
      family("chain_logs_total", "counter", "Transfers and swaps stored by this process.", ({ status }) => status.logs),
      family("chain_skipped_logs_total", "counter", "Logs left out by this process, by why.", ({ status }) =>
        byKind(kindsOf(status.skipped)),
      ),
      family("chain_reorgs_total", "counter", "Reorganisations of the chain.", ({ status }) => status.reorgs.count),
      family(
        "chain_reorged_blocks_total",
        "counter",
        "Blocks that they took back.",
        ({ status }) => status.reorgs.blocks,
      ),
      family(
        "chain_deepest_reorg_blocks",
        "gauge",
        "The most blocks that one of them took back.",
        ({ status }) => status.reorgs.deepest,
      ),
      family(
        "chain_healed_logs_total",
        "counter",
        "Rows of logs that a node had left out and the ledger took in later.",
        ({ status }) => status.healed,
      ),
      family("history_used", "gauge", "Whether the history from elsewhere is read at the moment.", ({ status }) =>
        status.history === undefined ? undefined : Number(status.history.isUsed),
      ),
      family("history_logs_total", "counter", "Rows below finality, by where they came from.", ({ status }) =>
        bySource(status.history?.logs),
      ),
      family("history_blocks_total", "counter", "Blocks below finality, by where they came from.", ({ status }) =>
        bySource(status.history?.blocks),
      ),
      family(
        "history_bytes_total",
        "counter",
        "Bytes of the history, unpacked, that were taken.",
        ({ status }) => status.history?.bytes,
      ),
      family(
        "history_compared_blocks_total",
        "counter",
        "Blocks of the history that the node's own logs were held against.",
        ({ status }) => status.history?.compared,
      ),
      family("node_faults_total", "counter", "Answers of the chain's nodes that were refused, by why.", ({ status }) =>
        byKind(status.faults),
      ),
      family("node_silence_seconds", "gauge", "Since a node of the chain last answered.", ({ status }) =>
        // Its node is heard by the process that follows it.
        status.elsewhere ? undefined : secondsSince(status.heardAt),
      ),
      family(
        "writer_silence_seconds",
        "gauge",
        "Since another process, which follows the chain, last told of it.",
        // Without the database nothing is heard of it.
        ({ status }) => (stored === undefined ? undefined : secondsSince(status.toldAt)),
      ),
    ]
  },
)

/** `odd` and `poolless` are the former names of the first two, kept for one version. */
const kindsOf = ({ malformed, unknownPool }: State["status"]["skipped"]) => ({
  malformed,
  unknown_pool: unknownPool,
  odd: malformed,
  poolless: unknownPool,
})

const bySource = (counts: Readonly<Record<string, number>> = {}): ReadonlyArray<Sample> =>
  Object.entries(counts).map(([source, value]) => ({ labels: { source }, value }))

const byKind = (counts: Readonly<Record<string, number>>): ReadonlyArray<Sample> =>
  Object.entries(counts).map(([kind, value]) => ({ labels: { kind }, value }))

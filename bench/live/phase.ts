/** Blocks of one size, one after the other, and where the time of each went until a reader saw it. */
import { setTimeout as pause } from "node:timers/promises"
import type { ChainServer, ChainStatus, Service } from "../support/children.ts"
import { quantile } from "../support/output.ts"
import { cpuOf, cpuOfTree } from "../support/processes.ts"
import type { StatementCost, StatementCosts } from "./statements.ts"

export interface World {
  readonly chainId: number
  readonly chain: ChainServer
  readonly service: Service
  /** Process of the database server, where it is on this machine. */
  readonly server: number | undefined
  readonly statements: StatementCosts | undefined
}

export interface PhaseOptions {
  /** ERC-20 transfers of each block. */
  readonly logs: number
  /** Milliseconds between blocks. */
  readonly blockTime: number
  /** Blocks measured, after `warmup` that are not. */
  readonly blocks: number
  readonly warmup: number
}

/** Milliseconds of each block, by what they were spent on. */
export interface PhaseFigures {
  readonly blocks: number
  /** Announced → its header was served. */
  readonly notice: ReadonlyArray<number>
  /** Header served → logs served. */
  readonly logs: ReadonlyArray<number>
  /** Logs served → receipts served; below zero where those came first. */
  readonly receipts: ReadonlyArray<number>
  /** The later of both → an HTTP answer with the block. */
  readonly storing: ReadonlyArray<number>
  /** Logs served → an HTTP answer with the block. */
  readonly visible: ReadonlyArray<number>
  /** Announced → the same. */
  readonly announced: ReadonlyArray<number>
  readonly callsPerBlock: number
  /** CPU milliseconds a block; the bench's own questions over HTTP are in it. */
  readonly serviceCpu: number
  readonly postgresCpu: number
  /** Per block: of the writer, and of the work beside it. */
  readonly statements: ReadonlyArray<StatementCost>
  readonly others: ReadonlyArray<StatementCost>
}

type Moments = Record<"shown" | "header" | "served" | "receipts", Record<string, number>>

/** Moments are milliseconds since 1970, the same clock in all processes. */
const now = () => performance.timeOrigin + performance.now()

export const runPhase = async (
  world: World,
  { logs, blockTime, blocks, warmup }: PhaseOptions,
): Promise<PhaseFigures> => {
  const { chainId, chain, service, server, statements } = world
  const from = (await chain.get<ChainStatus>("/status")).head
  const visibleAt = new Map<number, number>()
  const costs = async () => ({
    service: cpuOf(service.pid),
    postgres: server === undefined ? Number.NaN : cpuOfTree(server),
    calls: Object.values((await chain.get<ChainStatus>("/status")).requests).reduce((sum, count) => sum + count, 0),
  })
  let before = await costs()
  const last = from + warmup + blocks
  await chain.post(`/start?blockTime=${blockTime}&logs=${logs}`)
  for (let block = from, warm = false; block < last; ) {
    const asked = now()
    const seen = await service.block(chainId)
    // The answer was made between the question and now; every block up to it is visible by now.
    for (let number = block + 1; number <= seen; number++) visibleAt.set(number, now())
    block = Math.max(block, seen)
    if (!warm && block >= from + warmup) {
      warm = true
      before = await costs()
      await statements?.reset()
    }
    await pause(Math.max(0, 5 - (now() - asked)))
  }
  const after = await costs()
  const { writer, others } = (await statements?.read()) ?? { writer: [], others: [] }
  await chain.post("/stop")
  const moments = await chain.get<Moments>("/moments")
  const { head } = await chain.get<ChainStatus>("/status")
  while ((await service.block(chainId)) < head) await pause(20)

  const perBlock = ({ what, calls, milliseconds }: StatementCost): StatementCost => ({
    what,
    calls: calls / blocks,
    milliseconds: milliseconds / blocks,
  })
  const numbers = [...visibleAt.keys()].filter((block) => block > from + warmup && block <= last)
  const between = (begin: (block: number) => number | undefined, end: (block: number) => number | undefined) =>
    numbers.flatMap((block) => {
      const [first, second] = [begin(block), end(block)]
      return first === undefined || second === undefined ? [] : [second - first]
    })
  const at = (which: keyof Moments) => (block: number) => moments[which]?.[block]
  const read = (block: number) => {
    const [served, receipts] = [at("served")(block), at("receipts")(block)]
    return served === undefined ? undefined : Math.max(served, receipts ?? 0)
  }
  const visible = (block: number) => visibleAt.get(block)
  return {
    blocks: numbers.length,
    notice: between(at("shown"), at("header")),
    logs: between(at("header"), at("served")),
    receipts: between(at("served"), at("receipts")),
    storing: between(read, visible),
    visible: between(at("served"), visible),
    announced: between(at("shown"), visible),
    callsPerBlock: (after.calls - before.calls) / blocks,
    serviceCpu: (after.service - before.service) / 1000 / blocks,
    postgresCpu: (after.postgres - before.postgres) / 1000 / blocks,
    statements: writer.map(perBlock),
    others: others.map(perBlock),
  }
}

/** Two figures of a stage, as `p50 / p99`. */
export const pairOf = (values: ReadonlyArray<number>): string =>
  values.length === 0 ? "–" : `${quantile(values, 0.5).toFixed(1)} / ${quantile(values, 0.99).toFixed(1)}`

export const describePhase = ({ logs, blockTime }: PhaseOptions, figures: PhaseFigures): string => {
  const { callsPerBlock, serviceCpu, postgresCpu, statements, others } = figures
  const lines = [
    `${figures.blocks} blocks of ${logs} ERC-20 transfers, one every ${blockTime} ms; p50 / p99 ms:`,
    `  logs served → visible        ${pairOf(figures.visible)}`,
    `  announced → visible          ${pairOf(figures.announced)}`,
    `    announced → header served  ${pairOf(figures.notice)}`,
    `    header → logs served       ${pairOf(figures.logs)}`,
    `    logs → receipts served     ${pairOf(figures.receipts)}`,
    `    all served → visible       ${pairOf(figures.storing)}`,
    `  a block: ${callsPerBlock.toFixed(1)} calls to the node, CPU ms ${serviceCpu.toFixed(1)} of the service, ${postgresCpu.toFixed(1)} of PostgreSQL`,
  ]
  const told = (costs: ReadonlyArray<StatementCost>, least: number, whose: string, width: number) => {
    if (costs.length === 0) return
    const trips = costs.reduce((sum, { calls }) => sum + calls, 0)
    const busy = costs.reduce((sum, { milliseconds }) => sum + milliseconds, 0)
    lines.push(`  ${whose} ${trips.toFixed(1)} statements take the server ${busy.toFixed(1)} ms; ms (how often):`)
    for (const { what, calls, milliseconds } of costs.filter((it) => it.milliseconds >= least))
      lines.push(`    ${what.padEnd(width)} ${milliseconds.toFixed(2).padStart(7)} (${calls.toFixed(2)})`)
  }
  told(statements, 0.05, "its", 26)
  told(others, 0.5, "reads and jobs beside it:", 70)
  return lines.join("\n")
}

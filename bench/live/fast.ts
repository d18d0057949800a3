/** Chains of many blocks a second: how far the ledger is behind the head, and what `/ready` calls that. */
import { setTimeout as pause } from "node:timers/promises"
import type { ChainStatus } from "../support/children.ts"
import { quantile } from "../support/output.ts"
import { cpuOf, cpuOfTree } from "../support/processes.ts"
import type { World } from "./phase.ts"

export interface FastOptions {
  readonly blocksPerSecond: number
  readonly logs: number
  readonly seconds: number
}

interface Ready {
  readonly status: string
  readonly chains: ReadonlyArray<{
    readonly chainId: number
    readonly phase: string
    readonly ready: boolean
    readonly indexedBlock?: number
  }>
}

/** Milliseconds before the first figure, and between two. */
const settleMs = 2000
const lookMs = 100

export const runFast = async (
  { chainId, chain, service, server }: World,
  { blocksPerSecond, logs, seconds }: FastOptions,
): Promise<string> => {
  const status = () => chain.get<ChainStatus>("/status")
  await chain.post(`/start?blockTime=${1000 / blocksPerSecond}&logs=${logs}`)
  await pause(settleMs)
  const began = await status()
  const cpu = () => [cpuOf(service.pid), server === undefined ? Number.NaN : cpuOfTree(server)] as const
  const before = cpu()
  const lags: Array<number> = []
  const phases = new Map<string, number>()
  let unready = 0
  for (const end = Date.now() + seconds * 1000; Date.now() < end; await pause(lookMs)) {
    const { head } = await status()
    const ready = (await (await fetch(`${service.url}/ready`)).json()) as Ready
    const own = ready.chains.find((it) => Number(it.chainId) === chainId)!
    lags.push(Math.max(0, head - (own.indexedBlock ?? 0)))
    phases.set(own.phase, (phases.get(own.phase) ?? 0) + 1)
    if (!own.ready) unready++
  }
  const after = cpu()
  const ended = await status()
  await chain.post("/stop")
  const stopped = performance.now()
  const { head } = await status()
  while ((await service.block(chainId)) < head) await pause(20)
  const behindMs = performance.now() - stopped
  const blocks = ended.head - began.head
  const calls = (which: ChainStatus) => Object.values(which.requests).reduce((sum, count) => sum + count, 0)
  const shown = [...phases].map(([phase, count]) => `${phase} ${Math.round((100 * count) / lags.length)} %`).join(", ")
  return (
    `${(blocks / seconds).toFixed(0)} blocks/s of ${logs} transfers, ${seconds} s: lag p50 ${quantile(lags, 0.5)}, p99 ${quantile(lags, 0.99)} blocks; ` +
    `phase ${shown}; not ready ${Math.round((100 * unready) / lags.length)} %; ${((calls(ended) - calls(began)) / blocks).toFixed(2)} calls a block; ` +
    `CPU ms a block ${((after[0] - before[0]) / 1000 / blocks).toFixed(1)} + ${((after[1] - before[1]) / 1000 / blocks).toFixed(1)}; ` +
    `${(behindMs / 1000).toFixed(1)} s to the head once it stands`
  )
}

/** One caller asks a service for pages, one after the other: how long each takes over HTTP, and what it costs. */
import type { Service } from "./children.ts"
import { quantile } from "./output.ts"
import { cpuOf, cpuOfTree } from "./processes.ts"

export interface Asked {
  readonly runs: number
  /** Pages before them that count for nothing: code that has just been loaded is slower. */
  readonly warmUp: number
  /** Process of the database's server; absent = its CPU is not counted. */
  readonly server?: number | undefined
}

/** The text of an answer, uncompressed. Fails where it is not 200. */
export const pageOf = async (service: Service, path: string): Promise<string> => {
  const response = await fetch(service.url + path, { headers: { "accept-encoding": "identity" } })
  const text = await response.text()
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${text.slice(0, 300)}`)
  return text
}

/** The end of a line: milliseconds, and CPU of service and server. `pathOf`: of each run, warm-ups included. */
export const askPages = async (
  service: Service,
  pathOf: (run: number) => string,
  { runs, warmUp, server = 0 }: Asked,
): Promise<string> => {
  let text = ""
  for (let run = 0; run < warmUp; run++) text = await pageOf(service, pathOf(run))
  const cpu = () => [cpuOf(service.pid), cpuOfTree(server)] as const
  const before = cpu()
  const times: Array<number> = []
  for (let run = 0; run < runs; run++) {
    const path = pathOf(warmUp + run)
    const began = performance.now()
    text = await pageOf(service, path)
    times.push(performance.now() - began)
  }
  const [own, database] = cpu().map((value, place) => (value - before[place]!) / runs / 1000) as [number, number]
  const shown = (value: number) => value.toFixed(1).padStart(6)
  return `p50 ${shown(quantile(times, 0.5))}  p95 ${shown(quantile(times, 0.95))} ms  CPU ${shown(own)} + ${shown(database)} ms  ${(text.length / 1000).toFixed(0)} kB`
}

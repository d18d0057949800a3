/** Receivers of events that break off, stall and come back at random; what each folded is held against the oracle. */
import { setTimeout as pause } from "node:timers/promises"
import { Webhook as Verifier } from "standardwebhooks"
import type { Random } from "../../demo/chain/random.ts"
import type { State } from "./oracle.ts"
import { standards } from "./oracle.ts"

export const managerKey = "soak"

interface Told {
  readonly type: string
  readonly id: string
  readonly chainId: string
  /** Of heartbeats. */
  readonly finalizedBlock?: number
}

/** Rows by id, and what was wrong on the way. */
class Fold {
  readonly rows = new Set<string>()
  readonly faults: Array<string> = []
  /** By chain, as heartbeats say. */
  readonly finals = new Map<string, number>()

  constructor(
    readonly name: string,
    private readonly onlyFinal: boolean,
  ) {}

  take({ type, id, chainId, finalizedBlock }: Told): void {
    if (finalizedBlock !== undefined) this.finals.set(chainId, finalizedBlock)
    if (type === "heartbeat" || type === "finalized") return
    if (type === "retract") {
      if (this.onlyFinal) this.faults.push(`${this.name}: ${id} was retracted`)
      if (!this.rows.delete(id)) this.faults.push(`${this.name}: ${id} was retracted, and never given`)
      return
    }
    if (this.rows.has(id)) this.faults.push(`${this.name}: ${id} was given twice`)
    this.rows.add(id)
  }
}

export interface Receivers {
  /** Waits until every receiver has what the oracle says of these states; gives what differs, none = nothing. */
  readonly settle: (states: ReadonlyArray<State>) => Promise<ReadonlyArray<string>>
  readonly stop: () => Promise<void>
}

/** Names of rows by chain, block, log and place; of contracts seen first by chain, block and transaction: of those the oracle knows no log. */
const wantedOf = (states: ReadonlyArray<State>, upTo: (chainId: string) => number): ReadonlyArray<string> => {
  const wanted: Array<string> = []
  for (const { chainId, rows, swaps, firsts } of states) {
    const isUpTo = (block: number) => block <= upTo(chainId)
    const add = (block: number, log: number, place: number) =>
      isUpTo(block) && wanted.push(`${chainId}-${block}-${log}-${place}`)
    for (const standard of standards) {
      for (const { blockNumber, logIndex, sub } of rows[standard]) add(blockNumber, logIndex, sub + 1)
      for (const { block, txHash } of firsts[standard].values())
        if (isUpTo(block.number)) wanted.push(`token ${chainId}-${block.number}-${txHash.slice(2, 18)}`)
    }
    for (const { blockNumber, logIndex } of swaps) add(blockNumber, logIndex, 1)
  }
  return wanted
}

const rowsOf = ({ rows }: Fold): ReadonlyArray<string> =>
  [...rows].map((id) => {
    const [chainId, block, log, place, tx] = id.split("-")
    return place === "0" ? `token ${chainId}-${block}-${tx}` : `${chainId}-${block}-${log}-${place}`
  })

/** What is in one and not in the other, as often as it is. */
const without = (some: ReadonlyArray<string>, others: ReadonlyArray<string>): ReadonlyArray<string> => {
  const left = new Map<string, number>()
  for (const each of others) left.set(each, (left.get(each) ?? 0) + 1)
  return some.filter((each) => {
    const count = left.get(each) ?? 0
    left.set(each, count - 1)
    return count <= 0
  })
}

export const startReceivers = async (url: string, random: Random): Promise<Receivers> => {
  const over = new AbortController()
  const streams = (
    [
      ["all, from the beginning", "all", "after=beginning", false],
      ["one chain", "9000001", "after=beginning", false],
      ["final", "all", "after=beginning&delivery=finalized", true],
    ] as const
  ).map(([name, chainId, query, onlyFinal]) => {
    const fold = new Fold(name, onlyFinal)
    const path = `${url}/v2/network/mainnet/evm/${chainId}/events`
    const done = followStream(path, query, random, over.signal, (told) => fold.take(told))
    return { fold, chains: chainId === "all" ? undefined : [chainId], onlyFinal, done }
  })
  const hook = await startHook(url, random)
  const folds = [...streams, { fold: hook.fold, chains: undefined, onlyFinal: false }]
  return {
    settle: async (states) => {
      const differences = () =>
        folds.flatMap(({ fold, chains, onlyFinal }) => {
          const own = states.filter(({ chainId }) => chains?.some((it) => it === chainId) ?? true)
          const wanted = wantedOf(own, (chainId) =>
            onlyFinal ? (fold.finals.get(chainId) ?? -1) : Number.POSITIVE_INFINITY,
          )
          const found = rowsOf(fold)
          const lost = without(wanted, found)
          const more = without(found, wanted)
          return [
            ...fold.faults,
            ...(lost.length === 0 ? [] : [`${fold.name}: ${lost.length} are lost, such as ${lost.slice(0, 3)}`]),
            ...(more.length === 0 ? [] : [`${fold.name}: ${more.length} too many, such as ${more.slice(0, 3)}`]),
          ]
        })
      for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(100))
        if (differences().length === 0) return []
      return differences()
    },
    stop: async () => {
      over.abort()
      await Promise.all(streams.map(({ done }) => done))
      hook.stop()
    },
  }
}

/** Reads on and on; breaks off now and then, stalls now and then, comes back with the id it had last. */
const followStream = async (
  path: string,
  query: string,
  random: Random,
  over: AbortSignal,
  take: (told: Told) => void,
): Promise<void> => {
  let position: string | undefined
  while (!over.aborted) {
    const own = new AbortController()
    const stop = () => own.abort()
    over.addEventListener("abort", stop)
    let left = random.chance(0.3) ? 1 + random.below(30) : Number.POSITIVE_INFINITY
    const breaks = setTimeout(stop, 300 + random.below(3000))
    try {
      const headers: Record<string, string> = position === undefined ? {} : { "last-event-id": position }
      const response = await fetch(`${path}?${query}`, { headers, signal: own.signal })
      if (response.status === 410) throw new Error(await response.text())
      let text = ""
      const decoder = new TextDecoder()
      for await (const bytes of response.body!) {
        text += decoder.decode(bytes, { stream: true })
        const frames = text.split("\n\n")
        text = frames.pop()!
        for (const frame of frames) {
          const fields = new Map(
            frame.split("\n").map((line) => [line.split(": ")[0]!, line.slice(line.indexOf(": ") + 2)]),
          )
          if (!fields.has("data") || left-- <= 0) continue
          take({ type: fields.get("event")!, ...JSON.parse(fields.get("data")!) } as Told)
          position = fields.get("id") ?? position
        }
        if (left <= 0) break
        if (random.chance(0.05)) await pause(random.below(300))
      }
    } catch (cause) {
      if (`${cause}`.includes("EVENTS_GONE")) throw cause
    } finally {
      clearTimeout(breaks)
      over.removeEventListener("abort", stop)
      own.abort()
    }
    await pause(random.below(50))
  }
}

/** A webhook's receiver, which fails now and then, before or after it has kept what came. */
const startHook = async (url: string, random: Random) => {
  const fold = new Fold("webhook", false)
  let secret = ""
  let sequence = 0
  const seen = new Set<string>()
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      const text = await request.text()
      if (random.chance(0.1)) return new Response("no", { status: 500 })
      if (random.chance(0.05)) return Response.redirect("http://169.254.169.254/", 302)
      const body = new Verifier(secret).verify(text, Object.fromEntries(request.headers)) as {
        sequence: number
        events: ReadonlyArray<Told>
      }
      const id = `${request.headers.get("webhook-id")} ${body.sequence}`
      if (!seen.has(id)) {
        seen.add(id)
        if (body.sequence !== sequence + 1) fold.faults.push(`webhook: ${body.sequence} came after ${sequence}`)
        sequence = body.sequence
        for (const event of body.events) fold.take(event)
      }
      // What was kept is answered for late: it comes again.
      return new Response("", { status: random.chance(0.1) ? 503 : 200 })
    },
  })
  const response = await fetch(`${url}/v2/webhooks`, {
    method: "POST",
    headers: { apikey: managerKey },
    body: JSON.stringify({ url: server.url.href, after: "beginning" }),
  })
  secret = ((await response.json()) as { secret: string }).secret
  return { fold, stop: () => server.stop(true) }
}

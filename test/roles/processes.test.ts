/**
 * Three processes on one database and its standby: two that write, of which one stands by, and a reader at the standby. The
 * writers are killed again and again: the reader tells what a run without kills would. ROLE_KILLS = how many.
 */
import { expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import { randomOf } from "../../demo/chain/random.ts"
import { type Json, prefix } from "../http/support.ts"
import { answersOf, busyChain, chainId, manager, truthOf } from "../support/chain/busyChain.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { startReplayNode } from "../support/nodes/replayNode.ts"
import { ownFolder } from "../support/postgres.ts"
import { type Service, startService } from "../support/service.ts"
import { startReplicated } from "../support/standby.ts"

const kills = Number(process.env.ROLE_KILLS ?? 3)
const seed = Number(process.env.ROLE_SEED ?? 1)
/** After `kill -9` of the writer until the next one's first block is seen; on a quiet machine it is about one second. */
const takeoverMs = Number(process.env.TAKEOVER_MS ?? 60_000)
const past = 500
const blocks = past + 60 * (kills + 2)

test(
  "two writers may be killed at any instant: a reader at a standby tells the oracle's ledger, and tries no write",
  async () => {
    const random = randomOf(seed)
    const chain = busyChain(seed, blocks)
    const whole = replayOf(chainId, chain)
    let head = past - 1
    const node = startReplayNode(
      {
        ...whole,
        get head() {
          return head
        },
        find: (key) => {
          const block = whole.find(key)
          return block !== undefined && block.number <= head ? block : undefined
        },
        withLogs: (from, to) => whole.withLogs(from, Math.min(to, head)),
      },
      { mostBlocks: 200 },
    )
    const { primary, standby, pause: hold, resume, level, stop } = await startReplicated()
    using folder = ownFolder("cowry-settings-")
    const file = `${folder.path}/settings.json`
    writeFileSync(file, JSON.stringify({ chains: { [chainId]: { supply: { kind: "fixed", total: "720000000.5" } } } }))
    const writerOf = (role: string): Promise<Service> =>
      startService({
        ...{
          DATABASE_URL: primary.url,
          COWRY_CONFIG: file,
          ROLE: role,
          PRICES: "off",
          BULK_43114: "off",
          NETWORK_43114: "mainnet",
        },
        ...{ [`RPC_URL_${chainId}`]: node.url, [`POLL_MS_${chainId}`]: "50", [`POOL_MANAGERS_${chainId}`]: manager },
      })
    const services: Array<Service> = []
    try {
      await level()
      const reader = await startService({ DATABASE_READ_URL: standby.url, ROLE: "reader" })
      services.push(reader)
      const early = async () => {
        const response = await fetch(`${reader.url}/ready`)
        return [response.status, ((await response.json()) as Json).problem]
      }
      while (`${(await early())[1]}`.includes("not read yet")) await pause(20)
      expect(await early()).toEqual([503, expect.stringContaining("not made")])
      const writers = await Promise.all(["writer", "both"].map(writerOf))
      await reader.reached(chainId, head)

      const waits: Array<number> = []
      for (let kill = 0; kill < kills; kill++) {
        for (let more = 0; more < 20; more++) {
          head++
          await pause(20)
        }
        await reader.reached(chainId, head)
        await pause(random.below(200))
        const struck = kill % writers.length
        await writers[struck]!.stop("SIGKILL")
        const at = performance.now()
        head++
        await reader.reached(chainId, head)
        waits.push(performance.now() - at)
        writers[struck] = await writerOf(struck === 0 ? "writer" : "both")
      }
      services.push(...writers)
      expect(waits.filter((it) => it > takeoverMs)).toEqual([])
      if (process.env.ROLE_KILLS !== undefined) console.log(`takeovers: ${waits.map(Math.round).join(", ")} ms`)

      // A standby that stands still: what is newer than it has is waited for, and refused; nothing older is given for it.
      await level()
      await hold()
      const seen = head
      head += 5
      await writers[1]!.reached(chainId, head)
      const path = `${prefix(chainId)}/erc20-transfers?limit=1`
      const ask = (least: number) => fetch(reader.url + path, { headers: { "x-min-block": `${chainId}:${least}` } })
      expect((await ask(seen)).status).toBe(200)
      const refused = await ask(seen + 1)
      expect([refused.status, ((await refused.json()) as Json).code]).toEqual([503, "BEHIND_MIN_BLOCK"])
      const waiting = ask(head)
      await pause(200)
      await resume()
      let answer = await waiting
      // It waits for a second; a busy machine may need longer.
      while (answer.status === 503) answer = await ask(head)
      expect([answer.status, Number(answer.headers.get("x-as-of-block")?.split(":")[1]) >= head]).toEqual([200, true])

      head = blocks - 1
      await reader.reached(chainId, head)
      const found = await answersOf((it) => reader.get(it), blocks)
      expect(found).toEqual(await truthOf(chain))
      // How ingestion is doing is told every two seconds.
      while ((await fetch(`${reader.url}/ready`)).status !== 200) await pause(50)
      const { role, servers, chains } = await reader.get<Json>("/ready")
      expect([role, servers[0].standby, chains[0].elsewhere, chains[0].indexedBlock]).toEqual([
        "reader",
        true,
        true,
        head,
      ])
      expect(await reader.get<Json>(`${prefix(chainId)}/supply`)).toMatchObject({
        totalSupply: "720000000.5",
        blockNumber: head,
      })
      expect((await fetch(`${writers[0]!.url}${path}`)).status).toBe(503)
      // What is tried there stands in its log.
      expect(standby.log()).not.toContain("cannot execute")
      expect(standby.log()).not.toContain("recovery is in progress")
    } finally {
      for (const service of services) await service.stop()
      await node.stop()
      await stop()
    }
  },
  120_000 + kills * 60_000,
)

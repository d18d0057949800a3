/** `kill -9` of the service, of its database or of both, again and again: the answers are those of a run without. KILLS = how many. */
import { expect, test } from "bun:test"
import { join } from "node:path"
import { setTimeout as pause } from "node:timers/promises"
import { randomOf } from "../../demo/chain/random.ts"
import { answersOf, busyChain, chainId, live, past, truthOf } from "../support/chain/busyChain.ts"
import { replayOf } from "../support/nodes/replayChain.ts"
import { startReplayNode } from "../support/nodes/replayNode.ts"
import { ownFolder } from "../support/postgres.ts"
import { end, killDatabase, startVictim } from "../support/victim.ts"

const kills = Number(process.env.KILLS ?? 6)
const seed = Number(process.env.KILLS_SEED ?? 1)

test(
  "the service and its database may be killed at any instant",
  async () => {
    const random = randomOf(seed + 1)
    const chain = busyChain(seed)
    const whole = replayOf(chainId, chain)
    let head = past - 1
    // The node shows the chain up to `head`, which moves on by itself once the backfill had its share of kills.
    const visible = {
      ...whole,
      get head() {
        return head
      },
      find: (key: number | string) => {
        const block = whole.find(key)
        return block !== undefined && block.number <= head ? block : undefined
      },
      withLogs: (from: number, to: number) => whole.withLogs(from, Math.min(to, head)),
    }
    const node = startReplayNode(visible, { mostBlocks: 40 })
    using folder = ownFolder("cowry-kills-")
    const dataDir = join(folder.path, "data")
    /** One after the other, so that each has its share. */
    const victims = ["service", "database", "both"] as const
    let victim = await startVictim(node.url, dataDir)
    let growing: ReturnType<typeof setInterval> | undefined
    try {
      for (let kill = 0; kill < kills; kill++) {
        if (kill === Math.floor(kills / 2)) {
          growing = setInterval(() => {
            head = Math.min(head + 1, past + live - 1)
          }, 50)
        }
        const before = (await victim.newest()) ?? -1
        await victim.until(Math.min(before + 1, head))
        await pause(random.below(300))
        const struck = victims[kill % victims.length]!
        if (struck !== "service") await killDatabase(dataDir)
        if (struck !== "database") {
          await end(victim.child, "SIGKILL")
          victim = await startVictim(node.url, dataDir)
        }
      }
      clearInterval(growing)
      head = past + live - 1
      await victim.until(head)
      const found = await answersOf(victim.get)
      expect(await end(victim.child, "SIGTERM")).toBe(0)

      const wanted = await truthOf(chain)
      expect(found).toEqual(wanted)
      expect(wanted.lists.at(-1).length).toBeGreaterThan(500)
    } finally {
      clearInterval(growing)
      if (victim.child.exitCode === null && victim.child.signalCode === null) await end(victim.child, "SIGTERM")
      await node.stop()
    }
  },
  120_000 + kills * 30_000,
)

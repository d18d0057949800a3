/** Many subscribers of streams of events, in a process of their own: what they cost is not the sender's, nor the clock's. */
import { fork } from "node:child_process"
import { once } from "node:events"
import { fileURLToPath } from "node:url"
import type { Asked, Heard, Told } from "./receiverWords.ts"

export interface Subscribers {
  /** Of the process that holds them. */
  readonly pid: number
  /** What is heard from now on is told by `end`. */
  readonly begin: () => void
  readonly end: () => Promise<Heard>
  readonly close: () => Promise<void>
}

const program = fileURLToPath(new URL("receivers.ts", import.meta.url))

/** Resolves when all were answered; throws where one was refused. */
export const openSubscribers = async (origin: string, paths: ReadonlyArray<string>): Promise<Subscribers> => {
  const child = fork(program, [], { serialization: "advanced" })
  const ask = (asked: Asked) => void child.send(asked)
  const next = async () => (await once(child, "message"))[0] as Told
  ask({ what: "open", origin, paths })
  const first = await next()
  if (first.what === "failed") throw new Error(first.why)
  return {
    pid: child.pid!,
    begin: () => ask({ what: "begin" }),
    end: async () => {
      const told = next()
      ask({ what: "end" })
      return (await told) as Told & Heard
    },
    close: async () => {
      const gone = once(child, "exit")
      child.kill()
      await gone
    },
  }
}

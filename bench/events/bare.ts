/** Starts the sender that does nothing else: what it takes is what no sender can go below. */
import { startChild } from "../../demo/chain/child.ts"
import { openTemporaryFolder } from "../../test/support/postgres.ts"
import { untilPrinted } from "../support/children.ts"

export const startBareSender = async (blockTime: number, rows: number) => {
  const { process: child, stop } = startChild(
    process.execPath,
    ["bench/events/bareSender.ts", `${blockTime}`, `${rows}`],
    {
      cwd: process.cwd(),
      env: process.env,
      folder: openTemporaryFolder("cowry-bench-sender-"),
    },
  )
  const url = await untilPrinted(child, /ready (http\S+)/)
  return {
    url,
    stop,
    /** When each block was sent, milliseconds since 1970. */
    sent: async () => new Map((await (await fetch(`${url}/sent`)).json()) as Array<[block: number, at: number]>),
  }
}

/** The service and `cowry audit` on a node and a database, as an operator runs them. */
import { setTimeout as pause } from "node:timers/promises"
import { runCommand } from "../support/command.ts"
import { startService } from "../support/service.ts"

export interface Listed {
  readonly address: string
  readonly standard: string
  readonly state: string
  readonly blockNumber?: number
}

export const operate = (nodeUrl: string, databaseUrl: string) => {
  const env = { RPC_URL_31337: nodeUrl, DATABASE_URL: databaseUrl, POLL_MS_31337: "100", PRICES: "off" }
  return {
    start: (more: Record<string, string> = {}) => startService({ ...env, ...more }),
    audit: (...words: ReadonlyArray<string>) => runCommand(["audit", ...words], env),
  }
}

/** Returns what `look` finds, once it is something. */
export const until = async <Found>(look: () => Promise<Found | undefined>): Promise<Found> => {
  for (const deadline = Date.now() + 60_000; Date.now() < deadline; await pause(50)) {
    const found = await look()
    if (found !== undefined) return found
  }
  throw new Error("it did not come to pass in a minute")
}

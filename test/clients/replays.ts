/** Clients that are not run: their queries, replayed literally; and what is set of those that are. */
import { chifra } from "./replays/chifra.ts"
import { edge } from "./replays/edge.ts"
import { foundry } from "./replays/foundry.ts"
import type { Replay } from "./replays/replay.ts"
import { rotki } from "./replays/rotki.ts"

export const replays: ReadonlyArray<Replay> = [edge, rotki, foundry, chifra]

/** Clients that are run, by their name in calls.json; and what is set of each. */
export const ran: Readonly<Record<string, string>> = {
  "@etherscan-npm CLI": "`ETHERSCAN_BASE_URL=http://your-host/v2/api`",
  "etherscan-api 12": "the fourth argument of `init`, a transport that puts your host for `https://api.etherscan.io`",
  "ethers 5": 'a subclass of `EtherscanProvider` with `getBaseUrl() { return "http://your-host/<chain id>" }`',
  "ethers 6": "the same",
  "@ledgerhq/coin-evm 2.20":
    '`explorer: { type: "etherscan", uri: "http://your-host/<chain id>/api" }` of its configuration',
}

/** `bench:holdings`: what a wallet opens with, over HTTP, on a large ledger: its tokens, its days, those of ten chains, and a search. */

import { stopChildren } from "../demo/chain/child.ts"
import { seedWallets, walletAccounts, walletDays, walletToken } from "./plans/seedWallets.ts"
import { startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { askPages } from "./support/oneCaller.ts"
import { describeMachine } from "./support/output.ts"

const flags = readFlags(
  {
    /** Transfers of the first chain; the others have few. */
    transfers: 10_000_000,
    chains: 10,
    /** Holders of each token beside the wallets. */
    others: 40,
    /** Times that each question is asked, by one caller, after as many as count for nothing: code that has just been loaded is slower. */
    runs: 60,
    warmUp: 200,
  },
  process.argv.slice(2),
)
const schema = "cowry_bench"
const chains = Array.from({ length: flags.chains }, (_, at) => 990_001 + at)
const first = chains[0]!
const blocks = walletDays.days * 144

const database = await openDatabase(schema)
try {
  console.log(describeMachine(database.version))
  for (const chain of chains)
    await seedWallets(
      database.sql,
      `${schema}_${chain}`,
      flags.others,
      chain === first ? Math.ceil(flags.transfers / blocks) : 1,
    )
  await database.sql`checkpoint`
  // Nobody follows them: their nodes are not there.
  const nodes = chains.map((chain) => [`RPC_URL_${chain}`, "http://127.0.0.1:9"] as const)
  const service = await startService({
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    RATE_LIMIT_RPM: "100000000",
    // Prices that no swap bears out would be taken back.
    PRICES: "off",
    ...Object.fromEntries(nodes),
  })
  const at = (chain: number | "all") => `/v2/network/mainnet/evm/${chain}`
  const day = 86_400
  const last = walletDays.first + walletDays.days * day
  /** A question is never the same as one before: what is asked again is answered from what was kept. */
  const questions: Readonly<Record<string, (run: number) => string>> = {
    "100 tokens, page of 100": (run) =>
      `${at(first)}/address/${walletAccounts.usual}/tokens?limit=100&minBalance=${run}`,
    "100 tokens, page of 100 by value": (run) =>
      `${at(first)}/address/${walletAccounts.usual}/tokens?limit=100&sort=valueUsd,desc&minBalance=${run}`,
    [`${flags.chains * 500} tokens on ${flags.chains} chains: portfolio`]: (run) =>
      `${at("all")}/address/${walletAccounts.broad}/portfolio?minBalance=${run}`,
    [`${flags.chains * 500} tokens on ${flags.chains} chains: page of 100 by value`]: (run) =>
      `${at("all")}/address/${walletAccounts.broad}/tokens?limit=100&sort=valueUsd,desc&minBalance=${run}`,
    "365 daily points of 200 tokens": (run) =>
      `${at(first)}/address/${walletAccounts.busy}/portfolio/history?timestampFrom=${last - 365 * day - run}&timestampTo=${last - day - run}&interval=1d&limit=365`,
    "search by name": (run) => `${at(first)}/erc20?search=${encodeURIComponent(`Token ${1000 + run * 13}`)}&limit=25`,
    "search by prefix of many": (run) => `${at(first)}/erc20?search=T${1 + (run % 9)}&limit=${20 + (run % 7)}`,
    "search by address": () => `${at(first)}/erc20?search=${walletToken}&limit=25`,
  }
  for (const [name, pathOf] of Object.entries(questions)) {
    const { runs, warmUp } = flags
    console.log(`  ${name.padEnd(48)} ${await askPages(service, pathOf, { runs, warmUp, server: database.server })}`)
  }
  await service.stop()
} finally {
  await stopChildren()
  await database.close()
}
process.exit()

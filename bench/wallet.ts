/** `bench:wallet`: pages of `tokentx` of wallets with very many transfers, on a large ledger. */
import { setTimeout as pause } from "node:timers/promises"
import { stopChildren } from "../demo/chain/child.ts"
import { chainFlags } from "./chain/options.ts"
import { type ChainStatus, startChain, startService } from "./support/children.ts"
import { openDatabase } from "./support/database.ts"
import { readFlags } from "./support/flags.ts"
import { describeMachine, format } from "./support/output.ts"
import { measureWallets, offset } from "./wallet/measure.ts"
import { findWallets, untilCounted, type Wallet } from "./wallet/wallets.ts"

const flags = readFlags(
  {
    ...chainFlags,
    logs: 10_000_000,
    stream: true,
    /** How many wallets, and about how many transfers each has: the first ones are asked for all their pages. */ wallets: 51,
    transfers: 22_000,
    /** The page that is far from the first. */ deep: 100,
    /** How many wallets of a usual size, and about how many transfers each of them has. */ usual: 60,
    usualTransfers: 500,
  },
  process.argv.slice(2),
)
const { wallets: count, transfers, deep, usual: usualCount, usualTransfers, ...chainOptions } = flags
const { chainId } = chainOptions
const schema = "cowry_bench"

const database = await openDatabase(schema)
try {
  const chain = await startChain(chainOptions)
  const made = await chain.get<ChainStatus>("/status")
  console.log(describeMachine(database.version))
  const settings = {
    DATABASE_URL: database.url,
    DATABASE_SCHEMA: schema,
    [`WRAPPED_NATIVE_${chainId}`]: await (await chain.text("/wrapped-native")).text(),
    [`BULK_${chainId}`]: "on",
  }
  const service = await startService({ ...settings, [`RPC_URL_${chainId}`]: chain.url })
  while ((await service.block(chainId)) < made.head) await pause(500)
  const ledger = `${schema}_${chainId}`
  await untilCounted(database.sql, ledger)
  await service.stop()
  const wallets = await findWallets(database.sql, ledger, { transfers, least: (deep + 1) * offset, count })
  const usual = await findWallets(database.sql, ledger, {
    transfers: usualTransfers,
    least: offset,
    count: usualCount,
  })
  const rangeOf = (values: ReadonlyArray<number>) => `${Math.min(...values)} to ${Math.max(...values)}`
  const sizesOf = (found: ReadonlyArray<Wallet>) =>
    `${found.length} wallets of ${rangeOf(found.map(({ transfers }) => transfers))} transfers over ${rangeOf(found.map(({ tokens }) => tokens))} tokens`
  console.log(
    `${made.transfers} ERC-20 transfers in ${made.head} blocks; ${sizesOf(wallets)}; usual ones: ${sizesOf(usual)}`,
  )
  const measured = { chainId, chainUrl: chain.url, schema, settings, wallets, usual, deep, server: database.server }
  console.log(format(await measureWallets(database.sql, measured)))
} finally {
  await stopChildren()
  await database.close()
}
process.exit()

/** An answer that was kept of a chain's ledger is not given once the chain was dropped, nor while it is loaded anew. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import * as PostgresStore from "../../../src/adapters/postgres/PostgresStore.ts"
import { transfer } from "../../support/chain/testChain.ts"
import { testDatabase } from "../../support/postgres.ts"
import { prefix, startService, store, syncStatus } from "../support.ts"
import { ann, avalanche, gold, zero } from "../world.ts"

const paths = [
  `${prefix("43114")}/erc20/${gold}/holders`,
  `${prefix("43114")}/compat/api?module=account&action=tokenbalance&contractaddress=${gold}&address=${ann}`,
]

test("a reader refuses what it has kept while the chain is loaded, and answers from the new ledger then", async () => {
  const url = await testDatabase()
  const storeLayer = PostgresStore.layer({ url })
  const before = await startService({ storeLayer })
  await store(before, "43114", avalanche())
  await before.close()
  const status = syncStatus("43114")
  const reader = await startService({ storeLayer, status: [status] })
  const answers = async () =>
    Promise.all(
      paths.map(async (path) => {
        const answer = await reader.fetch(path)
        return [answer.status, answer.headers.get("x-as-of-block"), await answer.text()]
      }),
    )
  const old = await answers()
  expect(old.map(([code]) => code)).toEqual([200, 200])
  expect(await answers()).toEqual(old)

  const sql = postgres(url, { max: 1, onnotice: () => {} })
  await sql.unsafe("drop schema cowry_43114 cascade; delete from cowry.chain where chain_id = '43114'")
  await sql.end()
  const loading = await startService({ storeLayer })
  const writer = await loading.open("43114")
  await loading.run(writer.bulk!.begin)
  const chain = avalanche()
  chain.block([transfer(gold, zero, ann, 3n)], { salt: "anew" })
  await loading.run(writer.append(chain.segment(0)))
  // Whether or not the reader was told of the load by now.
  for (const phase of ["live", "copying"] as const) {
    Object.assign(status, { phase })
    for (const [code, block, text] of await answers()) {
      expect([phase, code === 503 || String(text).includes('"status":"0"'), block]).toEqual([phase, true, null])
      expect(text).toContain("is being synced for the first time")
    }
  }
  while (await loading.run(writer.bulk!.derive));
  Object.assign(status, { phase: "live" })
  const anew = await answers()
  expect(anew.map(([code, block]) => [code, block])).toEqual(paths.map(() => [200, `43114:${chain.nextBlock - 1}`]))
  expect(anew.map(([, , text]) => text)).not.toEqual(old.map(([, , text]) => text))
  for (const service of [loading, reader]) await service.close()
})

/** Names that another version folded are folded anew when a ledger is opened. */
import { expect, test } from "bun:test"
import postgres from "postgres"
import { foldVersion } from "../../../src/model/search/searchText.ts"
import { freshChainId } from "../../contracts/store.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { openLedgers } from "./ledger.support.ts"

/** In a database of that encoding: a server that knows none counts bytes where others count letters. */
const openFolded = async (encoding: string) => {
  let url = ""
  const ledgers = await openLedgers(undefined, async (direct) => {
    const admin = postgres(direct, { max: 1, onnotice: () => {} })
    const name = `folds_${encoding.toLowerCase()}_${process.pid}`
    await admin.unsafe(`create database ${name} template template0 encoding '${encoding}' locale 'C'`)
    await admin.end()
    url = Object.assign(new URL(direct), { pathname: `/${name}` }).href
    return url
  })
  return { ...ledgers, sql: postgres(url, { max: 1, onnotice: () => {} }) }
}

test.each(["UTF8", "SQL_ASCII"])(
  "a ledger opened by a version that folds otherwise has all its texts folded as it does, and moves its revision, in %s",
  async (encoding) => {
    const ledgers = await openFolded(encoding)
    const chainId = freshChainId()
    const chain = new TestChain()
    const names = ["Straße", "USD Coin", "Ｆｕｌｌ", "", "Ünïcode", "USDC.e"]
    chain.block(names.map((_, at) => transfer(address(0x9000 + at), address(0), address(0xa), 5n)))
    const first = await ledgers.open({ chainId })
    await ledgers.run(first.writer.append(chain.segment(0)))
    const tokens = await ledgers.run(first.writer.listUndescribedTokens(10))
    await ledgers.run(
      first.writer.describeTokens(
        tokens.map((token) => {
          const name = names[Number(token.address) - 0x9000]!
          return { token, description: { name, symbol: name } }
        }),
      ),
    )
    await first.close()
    const schema = ledgers.sql(`cowry_${chainId}`)
    const rows = () =>
      ledgers.sql`select name_fold, symbol_fold, name_fold2 from ${schema}.token order by address`.then((all) =>
        all.map((row) => Object.values(row)),
      )
    const revision = async () => (await ledgers.sql`select revision, folds from ${schema}.state`)[0]!
    const right = await rows()
    expect(right.map(([name]) => name)).toEqual(["strasse", "usd coin", "full", null, "unicode", "usdc e"])
    // As an older version left them.
    await ledgers.sql`update ${schema}.token set name_fold = lower(name), symbol_fold = 'x' || lower(symbol) where name ~ '[^ -~]'`
    await ledgers.sql`update ${schema}.token set symbol_fold = 'usdc e' where symbol = 'USDC.e'`
    await ledgers.sql`update ${schema}.state set folds = 0`
    const before = await revision()
    await (await ledgers.open({ chainId })).close()
    expect(await rows()).toEqual(right)
    const after = await revision()
    expect(after.folds).toBe(foldVersion)
    expect(Number(after.revision)).toBe(Number(before.revision) + 1)
    await (await ledgers.open({ chainId })).close()
    expect(await revision()).toEqual(after)
    await ledgers.sql.end()
    await ledgers.close()
  },
)

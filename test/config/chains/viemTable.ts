/** What viem/chains knows, as rows of src/config/chains/viem.json. Write it anew after an update of viem: `bun test/config/chains/viemTable.ts`. */
import { writeFileSync } from "node:fs"
import { fileURLToPath } from "node:url"
import { type Chain, getAddress } from "viem"
import * as definitions from "viem/chains"

/** Where viem has several chains of one id: the one that lives. Other such ids are left out. */
const chosen: Readonly<Record<number, string>> = {
  324: "ZKsync Era",
  999: "HyperEVM",
  1001: "Kairos Testnet",
  8217: "Kaia",
  31337: "Anvil",
}

/** [id, name, currency's name, symbol and decimals, whether a testnet, Multicall3 or null] */
export type ViemRow = readonly [number, string, string, string, number, boolean, string | null]

const rowOf = ({ id, name, nativeCurrency: coin, testnet, contracts }: Chain): ViemRow => {
  const multicall3 = contracts?.multicall3?.address
  return [
    id,
    name,
    coin.name,
    coin.symbol,
    coin.decimals,
    testnet ?? false,
    multicall3 === undefined ? null : getAddress(multicall3),
  ]
}

/** Ascending by id, each id once. */
export const viemRows = (): ReadonlyArray<ViemRow> => {
  const byId = new Map<number, Array<ViemRow>>()
  for (const chain of Object.values(definitions) as ReadonlyArray<Chain>) {
    byId.set(chain.id, [...(byId.get(chain.id) ?? []), rowOf(chain)])
  }
  const one = (rows: ReadonlyArray<ViemRow>): ReadonlyArray<ViemRow> => {
    const names = new Set(rows.map(([, name]) => name))
    if (names.size === 1) return rows.slice(0, 1)
    return rows.filter(([id, name]) => chosen[id] === name).slice(0, 1)
  }
  return [...byId.values()].flatMap(one).sort(([a], [b]) => a - b)
}

if (import.meta.main) {
  const lines = viemRows().map((row) => `  ${JSON.stringify(row).replaceAll('",', '", ')}`)
  writeFileSync(
    fileURLToPath(new URL("../../../src/config/chains/viem.json", import.meta.url)),
    `[\n${lines.join(",\n")}\n]\n`,
  )
}

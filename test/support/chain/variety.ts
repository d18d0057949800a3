/** Whether a stage has shown what its judge must see: each case by a name, with how often it happened. */
import { callBatch } from "../../../demo/chain/rpc.ts"
import { contractsOf, nobody, type TrueRow, type Truth } from "../judge/truth.ts"
import type { Stage } from "./stage.ts"

const swap = "0xd78ad95fa46c994b6551d0da85fc275fe613ce37657fb8d5e3d130840159d822"

export const varietyOf = async ({ node, chain }: Stage, truth: Truth): Promise<Record<string, number>> => {
  const { rows } = truth
  const count = (all: ReadonlyArray<TrueRow>, passes: (row: TrueRow) => boolean) => all.filter(passes).length
  const times = (hours: number) => count(rows.erc721, ({ time }) => time > truth.head.time - hours * 3600)
  return {
    "rows of ERC-2309 logs": count(rows.erc721, ({ token, sub }) => token === chain.collections.members && sub > 0),
    "ERC-721 burns": count(rows.erc721, ({ from, to }) => from !== nobody && to === nobody),
    "ids minted again": mintedAgain(rows.erc721, chain.collections.cards),
    "Transfers that name another than the owner": misnamed(rows.erc721, chain.collections.careless),
    "ids from zero to zero": count(rows.erc721, ({ from, to }) => from === nobody && to === nobody),
    "rows of ERC-1155 batches": count(rows.erc1155, ({ sub }) => sub > 0),
    "ERC-1155 burns": count(rows.erc1155, ({ from, to }) => from !== nobody && to === nobody),
    "balances below zero": [...truth.goods.values()]
      .flatMap((goods) => [...goods.values()].flatMap((holders) => [...holders.values()]))
      .filter((balance) => balance < 0n).length,
    "contracts of three standards": contractsOf(truth, "erc20").filter(
      (address) => truth.collections.has(address) && truth.goods.has(address),
    ).length,
    "shares locked at the zero address": chain.pairs.filter(
      ({ address }) => truth.tokens.get(address)?.balances.get(nobody) === 1000n,
    ).length,
    "directions of swaps": (
      await Promise.all(chain.pairs.map(({ address }) => directionsOf(node.url, address)))
    ).reduce((sum, directions) => sum + directions, 0),
    "ERC-721 rows older than a day, younger than two": times(48) - times(24),
    "ERC-721 rows older than two days, younger than three": times(72) - times(48),
    "ERC-721 rows older than three days": rows.erc721.length - times(72),
  }
}

const mintedAgain = (rows: ReadonlyArray<TrueRow>, collection: string): number => {
  const burnt = new Set<bigint>()
  let again = 0
  for (const { token, from, to, tokenId } of rows) {
    if (token !== collection) continue
    if (from === nobody && burnt.has(tokenId)) again++
    if (to === nobody) burnt.add(tokenId)
  }
  return again
}

const misnamed = (rows: ReadonlyArray<TrueRow>, collection: string): number => {
  const owners = new Map<bigint, string>()
  let count = 0
  for (const { token, from, to, tokenId } of rows) {
    if (token !== collection) continue
    if (owners.has(tokenId) && owners.get(tokenId) !== nobody && owners.get(tokenId) !== from) count++
    owners.set(tokenId, to)
  }
  return count
}

/** Of a pair: 0 to 2. */
const directionsOf = async (url: string, address: string): Promise<number> => {
  const [logs] = await callBatch<ReadonlyArray<{ readonly data: string }>>(url, [
    { method: "eth_getLogs", params: [{ fromBlock: "0x0", toBlock: "latest", address, topics: [swap] }] },
  ])
  return new Set(logs!.map(({ data }) => BigInt(data.slice(0, 66)) > 0n)).size
}

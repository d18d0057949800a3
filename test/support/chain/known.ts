/** What no log of a stage tells: what its contracts say of themselves, and who made them. */
import { callBatch } from "../../../demo/chain/rpc.ts"
import type { Known } from "../judge/records.ts"
import { askPools } from "../judge/trueSwaps.ts"
import { idsOf, type Truth } from "../judge/truth.ts"
import { askUri } from "../nodes/census.ts"
import type { Stage } from "./stage.ts"

const pairCreated = "0x0d3648bd0f6ba80134a33ba9275ac585d9d315f0ad8355cddefde31afa28d0e9"

interface Receipt {
  readonly transactionHash: string
  readonly contractAddress: string | null
  readonly logs: ReadonlyArray<{ readonly topics: ReadonlyArray<string>; readonly data: string }>
}

/** Names cleaned by hand; the rest from the node. */
export const askKnown = async (stage: Stage, truth: Truth): Promise<Known> => ({
  descriptions: descriptionsOf(stage),
  origins: await askOrigins(stage.node.url, truth.head.number),
  uris: await askUris(stage, truth),
  pools: await askPools(stage.node.url, truth.swaps),
})

const descriptionsOf = ({ chain, strange }: Stage): Known["descriptions"] => {
  const { ticket, dollar, shell, colossus, old, toll, wrapped } = chain.tokens
  const { cards, members, careless } = chain.collections
  return new Map([
    [ticket, { name: "Night Train Ticket", symbol: "TICKET", decimals: 0 }],
    [dollar, { name: "Demo Dollar", symbol: "USDD", decimals: 6 }],
    [shell, { name: "Cowry Shell", symbol: "SHELL", decimals: 18 }],
    [colossus, { name: "Colossus", symbol: "HUGE", decimals: 18 }],
    [old, { name: "Old Maker", symbol: "OLD", decimals: 18 }],
    [toll, { name: "Toll Coin", symbol: "TOLL", decimals: 18 }],
    [wrapped, { name: "Wrapped Ether", symbol: "WETH", decimals: 18 }],
    ...chain.pairs.map(({ address }) => [address, { name: "Uniswap V2", symbol: "UNI-V2", decimals: 18 }] as const),
    [cards, { name: "Harbour Postcards", symbol: "CARD" }],
    [members, { name: "Founding Members", symbol: "MEMBER" }],
    [careless, { name: "Careless Cats", symbol: "CATS" }],
    [chain.goods, { name: "Market Goods", symbol: "GOODS" }],
    [chain.mixed, { name: "Three in One", symbol: "TRIO", decimals: 18 }],
    [strange.nameless, { decimals: 18 }],
    [strange.garbled, { name: "Garbled\uFFFD\uFFFD(", symbol: "g".repeat(256), decimals: 18 }],
    [strange.lying, { name: "Free Money", symbol: "FREE", decimals: 18 }],
    [strange.collectible, { name: "Collectible", symbol: "NFT" }],
  ])
}

/** Contracts by the receipts of their own creation, pairs by their factory's word. */
const askOrigins = async (url: string, head: number): Promise<Known["origins"]> => {
  const origins = new Map<string, { txHash: string; time: number }>()
  for (let block = 0; block <= head; block++) {
    const number = `0x${block.toString(16)}`
    const [receipts, header] = (await callBatch<unknown>(url, [
      { method: "eth_getBlockReceipts", params: [number] },
      { method: "eth_getBlockByNumber", params: [number, false] },
    ])) as [ReadonlyArray<Receipt>, { readonly timestamp: string }]
    for (const { transactionHash, contractAddress, logs } of receipts) {
      const pairs = logs.filter(({ topics }) => topics[0] === pairCreated).map(({ data }) => `0x${data.slice(26, 66)}`)
      for (const made of [...pairs, ...(contractAddress === null ? [] : [contractAddress.toLowerCase()])])
        origins.set(made, { txHash: transactionHash, time: Number(header.timestamp) })
    }
  }
  return origins
}

const askUris = async ({ node, collections }: Stage, truth: Truth): Promise<Known["uris"]> => {
  const uris = new Map<string, string>()
  for (const address of collections)
    for (const id of idsOf(truth, address)) {
      const uri = await askUri(node.url, address, id)
      if (uri !== undefined) uris.set(`${address} ${id}`, uri)
    }
  return uris
}

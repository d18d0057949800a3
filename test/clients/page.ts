/** The table of docs/clients.md: of every client's calls who answers them, by asking. `bun test/clients/page.ts` writes it down anew. */
import { readFileSync, writeFileSync } from "node:fs"
import { Effect, Layer } from "effect"
import * as FetchUpstream from "../../src/adapters/web/FetchUpstream.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { ChainNode } from "../../src/ports/ChainNode.ts"
import { LogSearch } from "../../src/ports/LogSearch.ts"
import { NativeBalances } from "../../src/ports/NativeBalances.ts"
import { TransactionSource } from "../../src/ports/TransactionSource.ts"
import { ann, apes, avalanche, gold, potions, startWorld } from "../http/world.ts"
import { envelope, startFakeUpstream } from "../support/fakeUpstream.ts"
import { ran, replays } from "./replays.ts"

const pageUrl = new URL("../../docs/clients.md", import.meta.url)
const callsUrl = new URL("./calls.json", import.meta.url)
const [begin, end] = ["<!-- Written by test/clients/page.ts: each call was asked. -->", "<!-- So far. -->"]

export const readClientsPage = (): string => readFileSync(pageUrl, "utf8")

/** What the node tells of a transaction of the world. */
const transactions = Layer.succeed(TransactionSource, {
  read: (_, hashes) =>
    Effect.succeed(
      hashes.map((hash) => {
        const { header, logs } = avalanche().blocks.find((block) => block.logs.some((log) => log.txHash === hash))!
        return {
          ...{ hash, blockNumber: header.number, blockHash: header.hash },
          index: logs.find((log) => log.txHash === hash)?.txIndex ?? 0,
          ...{
            nonce: "1",
            gas: "90000",
            gasPrice: "5",
            gasUsed: "51000",
            cumulativeGasUsed: "51000",
            methodId: "0xa9059cbb",
          },
        }
      }),
    ),
})

/** A world with a node and an upstream that answer whatever they are asked. */
export const startClientsWorld = async () => {
  const upstream = await startFakeUpstream()
  upstream.play(({ query }, response) => {
    response.end(envelope(query.get("action") === "balance" ? "5" : [{ hash: "0x" }]))
  })
  const layers = Layer.mergeAll(
    FetchUpstream.layer(
      { ofChain: new Map([[ChainId.make("43114"), { url: upstream.url, key: "upstreams-own-key" }]]) },
      { callsPerSecond: 1000 },
    ),
    Layer.succeed(ChainNode, { sends: false, call: () => Effect.succeed({ result: "0x1" }) }),
    transactions,
    Layer.succeed(NativeBalances, { of: (_, addresses) => Effect.succeed(addresses.map(() => 5n)) }),
    Layer.succeed(LogSearch, { find: () => Effect.succeed({ logs: [], searchedTo: 0 }) }),
  )
  const service = await startWorld({ replace: layers as unknown as Layer.Layer<never> })
  return {
    service,
    upstream,
    stop: async () => {
      await service.close()
      await upstream.stop()
    },
  }
}

export type ClientsWorld = Awaited<ReturnType<typeof startClientsWorld>>

export const filled = (query: string): string =>
  query
    .replaceAll("{address}", ann)
    .replaceAll("{token}", gold)
    .replaceAll("{nft}", apes)
    .replaceAll("{multi}", potions)
    .replaceAll("{hash}", `0x${"ab".repeat(32)}`)

/** Who answers a query on Etherscan's paths. */
export const ask = async ({ service }: Pick<ClientsWorld, "service">, query: string) => {
  const at = /(^|&)chainid=/.test(query) ? "/v2/api?" : "/v2/api?chainid=43114&"
  const response = await service.fetch(at + filled(query))
  const body = await response.json()
  const isRefused = /is not served here|Missing Or invalid (Module|Action)/.test(JSON.stringify(body))
  const who = isRefused ? "refused" : (response.headers.get("x-served-by") ?? "Cowry")
  return { who, body }
}

const columns = ["Cowry", "node", "upstream", "refused"] as const

const rowOf = async (world: ClientsWorld, client: string, queries: ReadonlyArray<string>): Promise<string> => {
  const found = new Map<string, ReadonlyArray<string>>()
  for (const query of queries) {
    const { who } = await ask(world, query)
    const action = `\`${new URLSearchParams(query).get("action")}\``
    found.set(who, [...new Set([...(found.get(who) ?? []), action])])
  }
  return `| ${client} | ${columns.map((who) => (found.get(who) ?? []).join(", ")).join(" | ")} |`
}

/** The page with the table as it is now. */
export const withClientsTable = async (page: string, world: ClientsWorld): Promise<string> => {
  const calls: Readonly<Record<string, ReadonlyArray<string>>> = JSON.parse(readFileSync(callsUrl, "utf8"))
  const asQuery = (call: string) => {
    const [module, action] = call.split("/")
    return `module=${module}&action=${action}&address={address}&txhash={hash}`
  }
  const rows = [
    ...(await Promise.all(
      Object.entries(calls).map(([client, made]) => rowOf(world, `\`${client}\``, made.map(asQuery))),
    )),
    ...(await Promise.all(replays.map(({ client, queries }) => rowOf(world, client, queries)))),
  ]
  const settings = [
    ...Object.entries(ran).map(([client, set]) => `| \`${client}\` | ${set} |`),
    ...replays.map(({ client, set }) => `| ${client} | ${set} |`),
  ]
  const written = [
    begin,
    "| client | what to set |",
    "|---|---|",
    ...settings,
    "",
    "| client | Cowry's own | the chain's node | forwarded | refused |",
    "|---|---|---|---|---|",
    ...rows,
    end,
  ].join("\n")
  return page.slice(0, page.indexOf(begin)) + written + page.slice(page.indexOf(end) + end.length)
}

if (import.meta.main) {
  const world = await startClientsWorld()
  writeFileSync(pageUrl, await withClientsTable(readClientsPage(), world))
  await world.stop()
}

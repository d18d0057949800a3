/** `/v2/chainlist`: every followed chain, in Etherscan's shape, and how it is doing. */
import { expect, test } from "bun:test"
import { ChainId } from "../../../src/model/primitives.ts"
import { startService, syncStatus } from "../support.ts"

const chains = [
  { chainId: ChainId.make("1"), network: "mainnet", ecosystems: [], name: "Ethereum" },
  { chainId: ChainId.make("10"), network: "mainnet", ecosystems: [] },
  { chainId: ChainId.make("43113"), network: "testnet", ecosystems: [], name: "Avalanche Fuji" },
]

test("all networks' chains, with what is wrong of each", async () => {
  const status = [
    syncStatus("10", { problem: "https://secret.example does not answer" }),
    syncStatus("43113", { phase: "stopped" }),
  ]
  const service = await startService({ chains, status, strictKeys: true, apiKeysSha256: ["0".repeat(64)] })
  try {
    const row = (chainid: string, chainname: string, status: number, comment: string) => ({
      chainname,
      chainid,
      blockexplorer: "http://cowry.test/docs",
      apiurl: `http://cowry.test/v2/api?chainid=${chainid}`,
      status,
      comment,
    })
    expect(await service.get("/v2/chainlist")).toEqual({
      status: 200,
      body: {
        comments: "Chains that this service follows",
        totalcount: 3,
        result: [
          row("1", "Ethereum", 1, ""),
          row("10", "Chain 10", 2, "See /ready"),
          row("43113", "Avalanche Fuji", 0, "It is not followed any more"),
        ],
      },
    })
    expect(await service.get("/v2/chainlist/")).toEqual(await service.get("/v2/chainlist"))
    const behind = await startService({ chains, trustProxy: true })
    const headers = { "x-forwarded-proto": "https" }
    expect((await behind.get("/v2/chainlist", { headers })).body.result[0].apiurl).toBe(
      "https://cowry.test/v2/api?chainid=1",
    )
    expect((await service.get("/v2/chainlist", { headers })).body.result[0].apiurl).toStartWith("http:")
    await behind.close()
  } finally {
    await service.close()
  }
})

/** An answer of a ledger without blocks, whose first block is stored before it leaves: it is not said to be of that block. */
import { expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { shapeNames } from "../../../src/adapters/http/shapes/shapes.ts"
import type { AsOf } from "../../../src/model/block.ts"
import { ChainId, Hash } from "../../../src/model/primitives.ts"
import { Freshness } from "../../../src/ports/Freshness.ts"
import { address, TestChain, transfer } from "../../support/chain/testChain.ts"
import { prefix, startService, store, type TestService } from "../support.ts"

const chainId = "43114"
const token = address(0x70)
const base = prefix(chainId)
const later: AsOf = {
  chainId: ChainId.make(chainId),
  blockNumber: 236,
  hash: Hash.make(`0x${"ab".repeat(32)}`),
  time: 1_700_000_000,
  finality: "latest",
  nodeHead: 236,
  firstBlock: 0,
  revision: 1,
  figures: 1,
  rewrites: 0,
}

const paths = [
  `${base}/erc20`,
  `${base}/erc20?count=true`,
  `${base}/erc721-transfers`,
  `${base}/erc20/${token}/holders?count=true`,
  `${base}/erc20/${token}`,
  `${base}/address/${token}/tokens`,
  `${base}/address/${token}/tokens/${token}/balances`,
  `/v2/api?chainid=${chainId}&module=stats&action=tokensupply&contractaddress=${token}`,
  `/v2/api?chainid=${chainId}&module=account&action=tokenbalance&contractaddress=${token}&address=${token}`,
]

/** What each of them answers, as JSON and in lines, where the ledger is empty and further looks at it find this. */
const answers = async (freshness: Pick<Freshness["Service"], "asOf" | "loaded">, begin = () => {}, asked = paths) => {
  const never = { newest: () => Effect.undefined, touched: () => Effect.undefined }
  const service = await startService({
    compatShapes: shapeNames,
    replace: Layer.succeed(Freshness, { ...never, ...freshness }),
  })
  const found: Array<{
    readonly path: string
    readonly status: number
    readonly text: string
    readonly block: unknown
  }> = []
  try {
    for (const path of asked) {
      for (const accept of ["application/json", "application/x-ndjson"]) {
        begin()
        const response = await service.fetch(path, { headers: { accept } })
        const { status, headers } = response
        found.push({ path, status, text: await response.text(), block: headers.get("x-as-of-block") })
      }
    }
    return found
  } finally {
    await service.close()
  }
}

test("lists, figures and refusals of what is not there have no block", async () => {
  let looks = 0
  const asOf = () => Effect.sync(() => (looks++ === 0 ? [] : [later]))
  const begin = () => {
    looks = 0
  }
  const found = await answers({ asOf }, begin)
  // Nor have those of other services, which are never kept.
  const shape = `/v1/evm/balances/${token}?chain_ids=${chainId}`
  found.push(...(await answers({ asOf: () => Effect.succeed([later]) }, begin, [shape])))
  for (const { path, status, block } of found) {
    expect([path, block]).toEqual([path, null])
    expect([200, 404]).toContain(status)
  }
})

test("they are refused where it is loaded, whoever loads it", async () => {
  const found = await answers({ asOf: () => Effect.succeed([]), loaded: (chains) => Effect.succeed(chains) })
  for (const { path, status, text } of found) {
    expect([path, status]).toEqual([path, path.startsWith("/v2/api") ? 200 : 503])
    expect(text).toContain("is being synced for the first time")
  }
})

test("they are made again where the ledger has blocks by now", async () => {
  const chain = new TestChain()
  chain.block([transfer(token, address(0), token, 5n)])
  const service: TestService = await startService({
    replace: Layer.succeed(Freshness, {
      newest: () => Effect.undefined,
      touched: () => Effect.undefined,
      // The first block comes between the answer and the look.
      asOf: () =>
        Effect.as(
          Effect.promise(() => store(service, chainId, chain)),
          [later],
        ),
    }),
  })
  const answer = await service.fetch(`${base}/erc20/${token}/holders?count=true`)
  expect(answer.headers.get("x-as-of-block")).toBe(`${chainId}:0`)
  expect(await answer.json()).toMatchObject({ count: 1 })
  await service.close()
})

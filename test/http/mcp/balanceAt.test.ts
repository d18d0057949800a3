/** One balance by the tool: what `tokenbalance` says of it, its refusals included; never 0 of what nobody asked about. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { Effect, Layer } from "effect"
import { balanceTool } from "../../../src/adapters/http/mcp/balanceTool.ts"
import { type Service, serviceOf } from "../../../src/adapters/http/mcp/service.ts"
import { SourceUnavailable } from "../../../src/ports/ChainSource.ts"
import type { LedgerWriter } from "../../../src/ports/Ledger.ts"
import { TokenViews, type ViewQuestion } from "../../../src/ports/TokenViews.ts"
import { multiTransfer, nftTransfer, TestChain, transfer } from "../../support/chain/testChain.ts"
import { chains, type Json, startService, store, type TestService } from "../support.ts"
import { ann, apes, bob, cats, cid, gold, potions, salt, zero } from "../world.ts"

const first = 100
const timeOf = (block: number) => 1_700_000_000 + 12 * (block - first + 1)
/** Gold, apes and cats (of both standards) may be older than the ledger; salt was made in its first block. Cid was never seen. */
const chain = () =>
  new TestChain(new Set(), first, timeOf(first - 1))
    .block([
      transfer(gold, ann, bob, 30n),
      transfer(salt, zero, bob, 5n),
      nftTransfer(apes, ann, bob, 1n),
      transfer(cats, ann, bob, 7n),
      nftTransfer(cats, ann, bob, 2n),
      multiTransfer(potions, zero, bob, [[1n, 4n]]),
    ])
    .block([transfer(gold, ann, bob, 10n)])

/** What contracts say; undefined = the node does not answer. */
let says: ((question: ViewQuestion) => bigint | undefined) | undefined
let service: TestService
let writer: LedgerWriter
let tool: Service
beforeEach(async () => {
  says = undefined
  const views: TokenViews["Service"] = {
    perCall: () => 50,
    ask: (_, questions) =>
      says === undefined ? new SourceUnavailable({ message: "down" }) : Effect.succeed(questions.map(says)),
  }
  service = await startService({ replace: Layer.succeed(TokenViews, views) as Layer.Layer<never> })
  writer = await store(service, "43114", chain())
  const born = await service.run(writer.listTokensWithoutOrigin(9))
  const made = born.find((it) => it.address === salt)!
  await service.run(writer.recordOrigins([{ token: made, origin: { txHash: made.firstTxHash } }]))
  tool = serviceOf((path) => service.fetch(path), chains)
})
afterEach(() => service.close())

const asked = async (given: object): Promise<Json> => {
  try {
    return await balanceTool.run({ chain: "43114", tokenAddress: gold, address: cid, ...given }, tool)
  } catch (error) {
    return { refused: (error as Error).message }
  }
}
const figureOf = async (given: object) => {
  const { balances, balanceSource, atBlock, refused } = await asked(given)
  return refused ?? [balances[0].balance, balanceSource, atBlock]
}
const unknown = (more = "") =>
  `NOTOK: Error! the balance is not known: the token may be older than the ledger, which starts at block ${first}${more}`
const vain = ", and its contract could not be asked"

test("of a holder without a transfer in the ledger it is the contract's word, and refused without one", async () => {
  for (const given of [{}, { tokenAddress: apes, standard: "erc721" }]) {
    says = ({ of }) => (of === "supply" ? 5000n : 1000n)
    expect(await figureOf(given)).toEqual(["1000", "node", undefined])
    says = undefined
    expect(await figureOf(given)).toBe(unknown(vain))
  }
})

test("so is that of a holder of whom it has some: what the ledger saw may be the smaller part", async () => {
  expect(await figureOf({ address: bob })).toBe(unknown(vain))
  says = () => 70n
  expect(await figureOf({ address: bob })).toEqual(["70", "node", undefined])
})

test("as of a block or a time nobody is asked: what is known to lack something is refused", async () => {
  says = () => 1000n
  for (const at of [{ blockNumber: first }, { timestamp: timeOf(first) + 3 }]) {
    expect(await figureOf({ address: bob, ...at })).toEqual(["30", undefined, first])
    expect(await figureOf({ address: ann, ...at })).toBe(unknown())
  }
})

test("of a token that is known to be older every block is refused, with rows and without", async () => {
  const older = (await service.run(writer.listTokensWithoutOrigin(9))).find((it) => it.address === gold)!
  await service.run(writer.recordOrigins([{ token: older, origin: { time: timeOf(first) - 99_999 } }]))
  const words = unknown().replace("may be", "is")
  for (const address of [bob, cid]) {
    expect(await figureOf({ address, blockNumber: first })).toBe(words)
    expect(await figureOf({ address, timestamp: timeOf(first) })).toBe(words)
  }
})

test("of a token that is whole, who has none has 0, without a source", async () => {
  says = () => 1000n
  const given = { tokenAddress: salt }
  expect(await figureOf(given)).toEqual(["0", undefined, undefined])
  expect(await figureOf({ ...given, address: bob, blockNumber: first })).toEqual(["5", undefined, first])
})

test("ids of a contract that is an ERC-20 too are never its figure, which is of the other standard", async () => {
  says = () => 1000n
  expect(await figureOf({ tokenAddress: cats, standard: "erc721" })).toBe(unknown(vain))
  expect(await figureOf({ tokenAddress: cats, standard: "erc721", address: bob, blockNumber: first })).toEqual([
    "1",
    undefined,
    first,
  ])
  expect(await figureOf({ tokenAddress: cats, address: bob, blockNumber: first })).toEqual(["7", undefined, first])
})

test("a page of holders without rows names no source: nobody was asked about any", async () => {
  says = () => 1000n
  const at = "/v2/network/mainnet/evm/43114"
  for (const path of [
    `/erc20/${gold}/holders?address=${cid}`,
    `/erc721/${apes}/holders?address=${cid}`,
    `/erc1155/${potions}/holders?address=${cid}`,
    `/compat/api?module=token&action=tokenholderlist&contractaddress=${gold}&page=9`,
  ]) {
    const [none, some] = [path, path.replace(cid, bob).replace("&page=9", "")]
    const sourceOf = async (of: string) => (await service.fetch(at + of)).headers.get("x-balance-source")
    expect([path, await sourceOf(none), await sourceOf(some)]).toEqual([path, null, "node"])
  }
})

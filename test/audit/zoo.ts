/** Honest and odd tokens on a real node, and ledgers that follow it by themselves. */
import { Effect } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import { type Address, addressOf } from "../../demo/chain/address.ts"
import { compile } from "../../demo/chain/compile.ts"
import { createContracts } from "../../demo/chain/deploy.ts"
import { sourceOf } from "../../src/adapters/rpc/chain/RpcChainSource.ts"
import { makePinnedViews } from "../../src/adapters/rpc/contracts/pinned.ts"
import { askTokens } from "../../src/adapters/rpc/contracts/RpcTokenViews.ts"
import { makeClient } from "../../src/adapters/rpc/transport/client.ts"
import { movementsOf, sortLogs } from "../../src/domain/ingest/decode/sorting.ts"
import { ChainId } from "../../src/model/primitives.ts"
import type { LedgerWriter } from "../../src/ports/Ledger.ts"
import type { TokenViews } from "../../src/ports/TokenViews.ts"
import type { TestStore } from "../contracts/store.ts"
import { startAnvil } from "../support/nodes/anvil.ts"

export const abi = parseAbi([
  "function mint(address to, uint256 amount)",
  "function burn(uint256 amount)",
  "function transfer(address to, uint256 amount)",
  "function rebase(uint256 next)",
  "function slip(address to, uint256 amount)",
  "function takeBack(address from, uint256 amount)",
  "function pretend(address from, address to, uint256 amount)",
  "function upgrade(address next)",
  "function say(bytes32[] topics, bytes data)",
  "function mintId(address to, uint256 id)",
  "function takeId(uint256 id)",
  "function mintSome(address to, uint256 id, uint256 amount)",
  "function safeTransferFrom(address from, address to, uint256 id, uint256 amount, bytes data)",
])

const word = (value: string | bigint): string => BigInt(value).toString(16).padStart(64, "0")
const text = (value: string) => Buffer.from(value).toString("hex").padEnd(64, "0")

/** Creation arguments by contract; none where absent. */
const made = {
  Token: `0x${word(96n)}${word(160n)}${word(18n)}${word(6n)}${text("Honest")}${word(3n)}${text("HON")}`,
  OldToken: `0x${text("Old Maker")}${text("OLD")}`,
  Rebasing: "0x",
  Silent: "0x",
  Skimming: "0x",
  Keeping: "0x",
  KeepingShy: "0x",
  Countless: "0x",
  GarbledToken: "0x",
  LyingToken: "0x",
  Parrot: "0x",
  Mixed: "0x",
  Cards: "0x",
  Goods: "0x",
  Hybrid: "0x",
} as const satisfies Record<string, `0x${string}`>
export type ZooName = keyof typeof made | "Proxy"

export const openZoo = async () => {
  const node = await startAnvil()
  const contracts = new Map([...(await compile("demo/contracts")), ...(await compile("test/support/contracts"))])
  const names = Object.keys(made) as ReadonlyArray<keyof typeof made>
  const created = await createContracts(
    node.url,
    contracts,
    names.map((name) => ({ name, args: made[name] })),
  )
  const at = Object.fromEntries(names.map((name, index) => [name, created[index]!])) as Record<ZooName, Address>
  const [proxy] = await createContracts(node.url, contracts, [{ name: "Proxy", args: `0x${word(at.Silent)}` }])
  at.Proxy = proxy!
  const people = (await node.rpc<ReadonlyArray<string>>("eth_accounts")).map(addressOf)
  const client = makeClient([node.url], { concurrency: 4, attempts: 2, backoffMs: 1 })
  const source = sourceOf({ client, each: [], chain: { chainId: ChainId.make("31337") } })
  const views: TokenViews["Service"] = {
    ask: (_, questions, pin) => askTokens([makePinnedViews(client)], questions, pin),
    perCall: () => 1,
  }

  /** `["transfer", to, amount]` of a token, by the person with that number. */
  const act = async (
    ...calls: ReadonlyArray<readonly [who: number, name: ZooName, call: readonly [string, ...Array<unknown>]]>
  ) =>
    node.mine(
      calls.map(([who, name, [functionName, ...args]]) => ({
        from: people[who]!,
        to: at[name],
        data: encodeFunctionData({ abi, functionName, args } as Parameters<typeof encodeFunctionData>[0]),
      })),
    )

  /** Appends what the ledger does not have yet, as one segment. */
  const follow = async (store: TestStore, writer: LedgerWriter) => {
    const { nextBlock } = await store.run(writer.checkpoint)
    const head = await Effect.runPromise(source.head)
    if (head.number < nextBlock) return
    const numbers = Array.from({ length: head.number - nextBlock + 1 }, (_, index) => nextBlock + index)
    const headers = (await Effect.runPromise(source.headers(numbers))).map((header) => header!)
    const logs = await Effect.runPromise(source.logs(nextBlock, head.number))
    const times = new Map(headers.map(({ number, time }) => [number, time]))
    const kind = { wrappedNative: new Set<Address>(), swaps: false, poolManagers: new Set<Address>() }
    const { movements, nfts } = movementsOf(sortLogs(logs, kind), kind, (log) => times.get(log.blockNumber)!)
    await store.run(
      writer.append({
        fromBlock: nextBlock,
        toBlock: head.number,
        parentHash: headers[0]!.parentHash,
        head: headers.at(-1)!,
        headers,
        movements,
        nfts,
        swaps: [],
        pools: [],
        counts: { malformed: 0, unknownPool: 0 },
        nodeHead: head.number,
        finalizedBlock: -1,
      }),
    )
  }

  return { node, at, people, views, act, follow }
}
export type Zoo = Awaited<ReturnType<typeof openZoo>>

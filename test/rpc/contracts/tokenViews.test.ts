/** What token contracts of a real node answer after one very block: plainly, through Multicall3, and never of another block. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import type { Address } from "../../../demo/chain/address.ts"
import { compile } from "../../../demo/chain/compile.ts"
import { createContracts, type DemoChain, deployDemoChain } from "../../../demo/chain/deploy.ts"
import { traffic } from "../../../demo/chain/traffic.ts"
import { multicall3 } from "../../../src/adapters/rpc/contracts/multicall.ts"
import { makePinnedViews } from "../../../src/adapters/rpc/contracts/pinned.ts"
import { askTokens } from "../../../src/adapters/rpc/contracts/RpcTokenViews.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import { makeClient, type RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import { Hash } from "../../../src/model/primitives.ts"
import type { ViewQuestion } from "../../../src/ports/TokenViews.ts"
import { startAnvil, type TestNode } from "../../support/nodes/anvil.ts"
import { failureOf, run } from "../node.ts"

let node: TestNode
let chain: DemoChain
let contracts: { readonly multicall: Address; readonly spinner: Address; readonly flooder: Address }
beforeAll(async () => {
  node = await startAnvil()
  chain = await deployDemoChain(node.url)
  const names = ["Multicall3", "Spinner", "Flooder"]
  const made = await createContracts(
    node.url,
    await compile("test/support/contracts"),
    names.map((name) => ({ name })),
  )
  contracts = { multicall: made[0]!, spinner: made[1]!, flooder: made[2]! }
  const blocks = traffic(11, chain)
  for (let mined = 0; mined < 12; mined++) await node.mine(blocks.next().value!)
})
afterAll(() => node?.stop())

const pinOf = async (blockNumber: number) => {
  const { hash } = await node.rpc<{ hash: Hash }>("eth_getBlockByNumber", [`0x${blockNumber.toString(16)}`, false])
  return { blockNumber, hash }
}

/** A node that hears something else than it was asked. */
const clientThat = (change: (call: RpcCall<unknown>) => RpcCall<unknown>): RpcClient => {
  const client = makeClient([node.url], { concurrency: 4, attempts: 1, backoffMs: 1 })
  const together = (calls: ReadonlyArray<RpcCall<unknown>>) => client.together(calls.map(change))
  return { ...client, together: together as RpcClient["together"] }
}
const client = () => clientThat((call) => call)

/** Contracts that keep a node busy or flood it are among them. */
const questions = (): ReadonlyArray<ViewQuestion> => [
  { of: "supply", token: chain.tokens.dollar },
  ...chain.accounts.slice(0, 4).flatMap(
    (holder): ReadonlyArray<ViewQuestion> => [
      { of: "balance", token: chain.tokens.shell, holder },
      { of: "balance", token: chain.collections.cards, holder },
      { of: "unit", token: chain.goods, holder, tokenId: "1" },
      // Everyone lets the batch contract move everything, and nobody the first account.
      ...[chain.batch, chain.accounts[0]!].flatMap((spender) => [
        { of: "allowance", token: chain.tokens.dollar, holder, spender } as const,
        { of: "operator", token: chain.goods, holder, spender } as const,
      ]),
    ],
  ),
  { of: "supply", token: contracts.spinner },
  { of: "owner", token: chain.collections.members, tokenId: "3" },
  { of: "owner", token: chain.collections.members, tokenId: "999999" },
  { of: "approved", token: chain.collections.members, tokenId: "3" },
  { of: "approved", token: chain.collections.members, tokenId: "999999" },
  { of: "allowance", token: chain.collections.cards, holder: chain.accounts[0]!, spender: chain.batch },
  { of: "supply", token: chain.accounts[0]! },
  { of: "supply", token: contracts.flooder },
  { of: "balance", token: contracts.multicall, holder: chain.accounts[0]! },
  { of: "supply", token: chain.tokens.colossus },
]

/** Asked one by one in the plainest way. */
const truth = async (blockNumber: number) => {
  const figures = { supply: "0x18160ddd", balance: "0x70a08231", unit: "0x00fdd58e", owner: "0x6352211e" }
  const selectors = { ...figures, allowance: "0xdd62ed3e", approved: "0x081812fc", operator: "0xe985e9c5" }
  const word = (value: string) => BigInt(value).toString(16).padStart(64, "0")
  return Promise.all(
    questions().map(async (question) => {
      if (question.token === contracts.spinner || question.token === contracts.flooder) return undefined
      const holder = "holder" in question ? word(question.holder) : ""
      const id = "tokenId" in question ? word(question.tokenId) : ""
      const spender = "spender" in question ? word(question.spender) : ""
      const call = { to: question.token, data: selectors[question.of] + holder + spender + id }
      const data = await node.rpc<string>("eth_call", [call, `0x${blockNumber.toString(16)}`]).catch(() => "0x")
      return data === "0x" ? undefined : BigInt(data.slice(0, 66))
    }),
  )
}

test("what is allowed is yes of some and no of others", async () => {
  const [holder, batch] = [chain.accounts[1]!, chain.batch]
  const asked: ReadonlyArray<ViewQuestion> = [
    { of: "allowance", token: chain.tokens.dollar, holder, spender: batch },
    { of: "allowance", token: chain.tokens.dollar, holder, spender: chain.accounts[0]! },
    { of: "operator", token: chain.goods, holder, spender: batch },
    { of: "operator", token: chain.goods, holder, spender: chain.accounts[0]! },
  ]
  const [all, none, yes, no] = await run(askTokens([makePinnedViews(client())], asked, await pinOf(await node.head())))
  expect(all).toBeGreaterThan(0n)
  expect([none, yes, no]).toEqual([0n, 1n, 0n])
})

describe("answers are those after the block that is named", () => {
  const check = async (views: ReturnType<typeof makePinnedViews>) => {
    const head = await node.head()
    for (const block of [head, head - 9]) {
      expect(await run(askTokens([views], questions(), await pinOf(block)))).toEqual(await truth(block))
    }
  }

  test("plainly", () => check(makePinnedViews(client())))
  test("by number, where the node does not take a hash", () =>
    check(
      makePinnedViews(
        clientThat((call) => {
          const [, block] = call.params
          return call.method === "eth_call" && typeof block !== "string"
            ? { ...call, params: [call.params[0], { wrong: 1 }] }
            : call
        }),
      ),
    ))
  test("by number, where the node passes over a hash and answers of its newest state", () => {
    const deaf = (call: RpcCall<unknown>) =>
      call.method === "eth_call" && typeof call.params[1] !== "string"
        ? { ...call, params: [call.params[0], "latest"] }
        : call
    return check(makePinnedViews(clientThat(deaf)))
  })
  test("through Multicall3, where a contract spoils it for others", () =>
    check(makePinnedViews(client(), contracts.multicall)))
  test("through Multicall3 in one call, but for those that fail in it", async () => {
    const asked: Array<string> = []
    const watched = clientThat((call) => {
      if (call.method === "eth_call") asked.push((call.params[0] as { to?: string }).to ?? "clock")
      return call
    })
    const head = await node.head()
    const calm = questions().flatMap(({ token }, index) =>
      token === contracts.spinner || token === contracts.flooder ? [] : [index],
    )
    const answers = await run(
      askTokens(
        [makePinnedViews(watched, contracts.multicall)],
        calm.map((index) => questions()[index]!),
        await pinOf(head),
      ),
    )
    const wanted = await truth(head)
    expect(answers).toEqual(calm.map((index) => wanted[index]))
    const { members, cards } = chain.collections
    expect(asked).toEqual([contracts.multicall, "clock", members, members, cards, contracts.multicall])
  })
})

describe("what somebody has of the currency's own token", () => {
  const holders = () => chain.accounts.slice(0, 3)
  const asked = (token: Address) => holders().map((holder): ViewQuestion => ({ of: "balance", token, holder }))
  const balances = (blockNumber: number) =>
    Promise.all(
      holders().map(async (holder) =>
        BigInt(await node.rpc<string>("eth_getBalance", [holder, `0x${blockNumber.toString(16)}`])),
      ),
    )

  test("is what he has of the currency at that block, also where the token has no balanceOf(address)", async () => {
    const [token, multicall] = [contracts.spinner, contracts.multicall]
    const head = await node.head()
    const [now, then] = [await balances(head), await balances(head - 9)]
    expect(now).not.toEqual(then)
    const calls: Array<string> = []
    const watched = clientThat((call) => {
      if (call.method !== "eth_getBlockByNumber") calls.push(call.method)
      return call
    })
    for (const [block, wanted] of [
      [head, now],
      [head - 9, then],
    ] as const) {
      const views = makePinnedViews(watched, multicall)
      const own = { nativeToken: token, multicall3: multicall }
      calls.length = 0
      expect(await run(askTokens([views], asked(token), await pinOf(block), own))).toEqual(wanted)
      expect(calls.filter((method) => method === "eth_call")).toHaveLength(1)
    }
    // Of any other token it is what that says.
    const { shell } = chain.tokens
    const ofShell = await run(askTokens([makePinnedViews(client(), multicall)], asked(shell), await pinOf(head)))
    const own = { nativeToken: token, multicall3: multicall }
    const beside = [...asked(shell), ...asked(token)]
    expect(await run(askTokens([makePinnedViews(client(), multicall)], beside, await pinOf(head), own))).toEqual([
      ...ofShell,
      ...now,
    ])
  })

  test("is what the token says where Multicall3 is not", async () => {
    const { shell } = chain.tokens
    const at = await pinOf(await node.head())
    const said = await run(askTokens([makePinnedViews(client())], asked(shell), at))
    expect(said.some((balance) => balance !== undefined && balance > 0n)).toBe(true)
    expect(await run(askTokens([makePinnedViews(client())], asked(shell), at, { nativeToken: shell }))).toEqual(said)
  })
})

test("a contract that fails in words that nobody knows spoils nothing: Multicall3 says that it failed", async () => {
  const head = await node.head()
  const { members } = chain.collections
  const odd = clientThat((call) =>
    call.method === "eth_call" && (call.params[0] as { to?: string }).to === members
      ? { ...call, method: "eth_nothingOfTheKind" }
      : call,
  )
  const views = makePinnedViews(odd, contracts.multicall)
  expect(await run(askTokens([views], questions(), await pinOf(head)))).toEqual(await truth(head))
  const plain = askTokens([makePinnedViews(odd)], questions(), await pinOf(head))
  expect((await failureOf(plain)).message).toContain("eth_nothingOfTheKind")
})

describe("nothing is answered", () => {
  const asked = (views: ReturnType<typeof makePinnedViews>, at: { blockNumber: number; hash: Hash }) =>
    failureOf(askTokens([views], questions(), at)).then(({ message }) => message.replace(/^.*?: /, ""))

  for (const [way, address] of [
    ["plainly", () => multicall3],
    ["through Multicall3", () => contracts.multicall],
  ] as const) {
    test(`by a node that has not reached the block, or has another there, ${way}`, async () => {
      const head = await node.head()
      const { hash } = await pinOf(head)
      const views = () => makePinnedViews(client(), address())
      expect(await asked(views(), { blockNumber: head + 5, hash: Hash.make(`0x${"5".repeat(64)}`) })).toContain(
        "the node has no block",
      )
      expect(await asked(views(), { blockNumber: head - 1, hash })).toContain("the node has no block")
    })

    test(`by a node that answers of its newest state, ${way}`, async () => {
      const latest = (call: RpcCall<unknown>) =>
        call.method === "eth_call" ? { ...call, params: [call.params[0], "latest"] } : call
      const views = () => makePinnedViews(clientThat(latest), address())
      expect(await asked(views(), await pinOf((await node.head()) - 3))).toContain("of the state of another")
    })

    test(`by a node that does not keep the state, ${way}`, async () => {
      const pruned = (call: RpcCall<unknown>): RpcCall<unknown> =>
        call.method === "eth_call"
          ? {
              ...call,
              params: ["nonsense"],
              readFault: () => call.readFault?.({ kind: "answer", message: "missing trie node 0b…" }),
            }
          : call
      const views = makePinnedViews(clientThat(pruned), address())
      expect(await asked(views, await pinOf(await node.head()))).toContain("does not keep the state")
    })
  }

  test("where another node does not help either; one that does is heard", async () => {
    const at = await pinOf((await node.head()) - 3)
    const latest = makePinnedViews(
      clientThat((call) => (call.method === "eth_call" ? { ...call, params: [call.params[0], "latest"] } : call)),
    )
    expect(await failureOf(askTokens([latest, latest], questions(), at))).toMatchObject({ _tag: "SourceUnavailable" })
    expect(await run(askTokens([latest, makePinnedViews(client())], questions(), at))).toEqual(
      await truth(at.blockNumber),
    )
  })
})

/** Contracts made in many ways on a real node, and that node with a worse memory. */
import { Effect } from "effect"
import { decodeFunctionResult, encodeFunctionData, numberToHex, parseAbi } from "viem"
import { type Address, addressOf } from "../../../demo/chain/address.ts"
import { mineBlock } from "../../../demo/chain/blocks.ts"
import { compile } from "../../../demo/chain/compile.ts"
import { createContracts } from "../../../demo/chain/deploy.ts"
import type { Born } from "../../../src/adapters/rpc/origins/RpcContractOrigins.ts"
import type { RpcCall } from "../../../src/adapters/rpc/transport/answers.ts"
import { makeClient, type RpcClient } from "../../../src/adapters/rpc/transport/client.ts"
import type { RpcFault } from "../../../src/adapters/rpc/transport/fault.ts"
import { hashOfHex } from "../../../src/model/primitives.ts"
import type { TestNode } from "../../support/nodes/anvil.ts"

const abi = parseAbi([
  "function make(bytes32 salt)",
  "function makeAndMint(bytes32 salt)",
  "function makeAndMintMany(bytes32[] salts)",
  "function nothing()",
  "function mint(address to, uint256 amount)",
  "function place(bytes32 salt) view returns (address)",
])

/** Mines what is asked for, one block after the other. */
export const makerOf = async (node: TestNode) => {
  const contracts = await compile("test/support/contracts")
  const [sender, other] = (await node.rpc<ReadonlyArray<string>>("eth_accounts")) as [string, string]
  const [factory] = (await createContracts(node.url, contracts, [{ name: "Factory" }])) as [Address]
  let salts = 0
  const call = (functionName: "make" | "makeAndMint", salt: `0x${string}`) => ({
    from: sender,
    to: factory,
    data: encodeFunctionData({ abi, functionName, args: [salt] }),
  })
  const callForMany = (salts: ReadonlyArray<`0x${string}`>) => ({
    from: sender,
    to: factory,
    data: encodeFunctionData({ abi, functionName: "makeAndMintMany", args: [salts] }),
  })
  const idle = (from = other) => ({ from, to: factory, data: encodeFunctionData({ abi, functionName: "nothing" }) })
  const newSalt = () => numberToHex(++salts, { size: 32 })
  const place = async (salt: `0x${string}`) => {
    const data = encodeFunctionData({ abi, functionName: "place", args: [salt] })
    const answer = await node.rpc<`0x${string}`>("eth_call", [{ to: factory, data }, "latest"])
    return addressOf(decodeFunctionResult({ abi, functionName: "place", data: answer }))
  }
  const creation = (name: string) => ({ from: sender, data: contracts.get(name)! })
  const timeOf = async (block: number) =>
    Number((await node.rpc<{ timestamp: string }>("eth_getBlockByNumber", [numberToHex(block), false])).timestamp)
  const blockHashOf = async (block: number) =>
    hashOfHex((await node.rpc<{ hash: string }>("eth_getBlockByNumber", [numberToHex(block), false])).hash)
  const madeIn = async (hash: string) =>
    addressOf((await node.rpc<{ contractAddress: string }>("eth_getTransactionReceipt", [hash])).contractAddress)
  return {
    factory,
    creation,
    call,
    callForMany,
    idle,
    newSalt,
    place,
    timeOf,
    hashOf: blockHashOf,
    addressOf: madeIn,
    /** Hashes of the transactions, and the block they are in. */
    mine: async (...transactions: Parameters<typeof mineBlock>[1]) => {
      const hashes = await mineBlock(node.url, transactions)
      return { hashes, block: await node.head() }
    },
    /** The first transfer of a token that is there. */
    mint: async (address: Address): Promise<Born> => {
      const data = encodeFunctionData({ abi, functionName: "mint", args: [sender as `0x${string}`, 1n] })
      const [hash] = await mineBlock(node.url, [{ from: sender, to: address, data }])
      return { address, firstBlock: await node.head(), firstTxHash: hash! }
    },
  }
}

type Question = Pick<RpcCall<unknown>, "method" | "params">
/** What a node says instead; undefined = the truth. */
export type Pretence = (question: Question) => { readonly result: unknown } | { readonly fault: string } | undefined

/** A client of the node that answers some calls in its own way, and the calls that came. */
export const clientThat = (node: TestNode, pretence: Pretence = () => undefined) => {
  const asked: Array<Question> = []
  const inner = makeClient([node.url], { concurrency: 4, attempts: 2, backoffMs: 1 })
  const answer = <Value>(call: RpcCall<Value>): { readonly value: Value } | undefined => {
    asked.push({ method: call.method, params: call.params })
    const said = pretence(call)
    if (said === undefined) return undefined
    if ("result" in said) return { value: call.read(said.result) }
    const fault: RpcFault = { kind: "answer", code: -32000, message: said.fault }
    return call.readFault?.(fault) ?? { value: undefined as Value }
  }
  const together = Effect.fnUntraced(function* <Value>(calls: ReadonlyArray<RpcCall<Value>>) {
    const said = calls.map(answer)
    const { values, ...told } = yield* inner.together(calls.filter((_, place) => said[place] === undefined))
    const rest = [...values]
    return { ...told, values: said.map((it) => (it === undefined ? rest.shift()! : it.value)) }
  })
  const client: RpcClient = {
    ...inner,
    together,
    batch: (calls) => Effect.map(together(calls), ({ values }) => values),
  }
  return { client, asked }
}

/** Served by few nodes. */
export const noTraces: Pretence = ({ method }) =>
  method.includes("trace") ? { fault: `the method ${method} does not exist/is not available` } : undefined

const ofState = new Set(["eth_getCode", "eth_getTransactionCount", "eth_getBalance"])
/** Answers questions about the state of blocks before `edge` so. */
export const forgets =
  (edge: number, said: (question: Question) => ReturnType<Pretence>): Pretence =>
  (question) =>
    ofState.has(question.method) && Number(question.params[1]) < edge ? said(question) : undefined

export const both =
  (...pretences: ReadonlyArray<Pretence>): Pretence =>
  (question) =>
    pretences.map((pretence) => pretence(question)).find((said) => said !== undefined)

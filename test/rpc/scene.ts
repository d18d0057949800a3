/** A JSON-RPC node played by msw that has contracts: what each function answers is written down. */
import { decodeFunctionData, encodeFunctionResult, parseAbi, toFunctionSelector } from "viem"
import { multicall3 } from "../../src/adapters/rpc/contracts/multicall.ts"
import { Hash } from "../../src/model/primitives.ts"
import { json, play, type Request, server } from "./node.ts"

/** What a function answers: bytes, or by its arguments (words without 0x); absent = it reverts. */
export type Answer = string | ((words: ReadonlyArray<string>) => string | undefined)
export type Contract = Readonly<Record<string, Answer>>
/** Contracts by address; an address without one has no code. */
export type Scene = Readonly<Record<string, Contract>>

export const word = (value: string | number | bigint) =>
  (typeof value === "string" ? value.slice(2) : value.toString(16)).padStart(64, "0")
export const bytes = (...values: ReadonlyArray<string | number | bigint>) => `0x${values.map(word).join("")}`

const selectorOf = (signature: string) => toFunctionSelector(signature)
const reverted = { error: { code: 3, message: "execution reverted" } }

export interface Asked {
  readonly to: string
  readonly data: string
  readonly gas: string
  readonly block: string
}

/** Of other methods than `eth_call`. */
type Say = (request: Request) => { readonly result: unknown } | { readonly error: unknown }
/** Of a node whose newest block is this one. */
export const sayAt =
  (head: number): Say =>
  ({ method, params }) => {
    if (method === "eth_chainId") return { result: "0x5" }
    return {
      result:
        method === "eth_getBlockByNumber" ? blockOf(params[0] === "latest" ? head : Number(params[0]), head) : "0x",
    }
  }
const blockOf = (number: number, head: number) =>
  number > head
    ? null
    : { number: `0x${number.toString(16)}`, hash: hashOf(number), parentHash: hashOf(number - 1), timestamp: "0x1" }

/** Of the block with that number. */
export const hashOf = (number: number): Hash => Hash.make(`0x${word(number)}`)

/** The same, where every address has code. */
export const sayCode: Say = (request) => (request.method === "eth_getCode" ? { result: "0xfe" } : sayAt(1000)(request))

type Fault = (call: Asked) => string | undefined

/** Plays a node with these contracts, and tells the view calls that come. `fault`: what it says of one instead. */
export const stage = (scene: Scene, fault?: Fault, say?: Say) => {
  const { asked, respond } = backendOf(scene, fault, say)
  server.resetHandlers()
  play([respond])
  return asked
}

/** One of those behind a node's address: how it responds to a request, and the view calls that came. */
export const backendOf = (scene: Scene, fault: Fault = () => undefined, say: Say = sayAt(1000)) => {
  const asked: Array<Asked> = []
  const one = (request: Request) => {
    const { id, method, params } = request
    if (method !== "eth_call") return { id, ...say(request) }
    const [{ to, data, gas }, block] = params as [{ to: string; data: string; gas: string }, string]
    const call = { to, data, gas, block }
    asked.push(call)
    const message = fault(call)
    if (message !== undefined) return { id, error: { code: -32000, message } }
    const contract = scene[to]
    if (contract === undefined) return { id, result: "0x" }
    const found = Object.entries(contract).find(([signature]) => selectorOf(signature) === data.slice(0, 10))?.[1]
    const result = typeof found === "function" ? found(data.slice(10).match(/.{64}/g) ?? []) : found
    return result === undefined ? { id, ...reverted } : { id, result }
  }
  const respond: Parameters<typeof play>[0][number] = (body) =>
    json(Array.isArray(body) ? body.map(one) : one(body as Request))
  return { asked, respond }
}

const abi = parseAbi([
  "function aggregate3((address target, bool allowFailure, bytes callData)[] calls) returns ((bool success, bytes returnData)[] results)",
])
/** With Multicall3, which runs calls by the scene, but fails at all of them where they are more than `most`. */
export const withMulticall = (scene: Scene, most = Number.POSITIVE_INFINITY): Scene => ({
  ...scene,
  [multicall3]: {
    "getBlockNumber()": bytes(1000),
    "aggregate3((address,bool,bytes)[])": (given) => {
      const [calls] = decodeFunctionData({ abi, data: `0x82ad56cb${given.join("")}` }).args
      const results = calls.map(({ target, callData }) => {
        const own = Object.entries(scene[target.toLowerCase()] ?? {}).find(
          ([signature]) => toFunctionSelector(signature) === callData.slice(0, 10),
        )?.[1]
        const answer = typeof own === "function" ? own(callData.slice(10).match(/.{64}/g) ?? []) : own
        const success = calls.length <= most && answer !== undefined
        return { success, returnData: (success ? answer : "0x") as `0x${string}` }
      })
      return encodeFunctionResult({ abi, result: results })
    },
  },
})

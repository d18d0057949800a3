/** The ChainSource port over JSON-RPC. */
import { Effect, Layer, Option } from "effect"
import { topics } from "../../domain/ingest/decode.ts"
import type { BlockHeader, Log } from "../../domain/model/block.ts"
import type { Hash } from "../../domain/model/primitives.ts"
import { ChainSource, type ChainSourceClient, RangeRefused, SourceUnavailable } from "../../ports/ChainSource.ts"
import type { RpcCall } from "./answers.ts"
import type { RpcFault } from "./fault.ts"
import { readLogs } from "./logs.ts"
import type { ChainClients, RpcChain } from "./RpcClients.ts"
import * as RpcClients from "./RpcClients.ts"
import { rangeRefusalOf } from "./rangeRefusal.ts"
import { headerOf, Malformed, quantityOf, quote } from "./shapes.ts"

/** Needs a list that names every followed chain. */
export const layer = (chains: ReadonlyArray<RpcChain>) =>
  Layer.effect(
    ChainSource,
    Effect.gen(function* () {
      const clients = yield* RpcClients.RpcClients
      return ChainSource.of({
        of: (chainId) => sourceOf(clients.of(chainId)),
      })
    }),
  ).pipe(Layer.provide(RpcClients.layer(chains)))

/** Exported for tests, which bring clients of their own. */
export const sourceOf = ({ client, each, chain: { chainId, tokens } }: ChainClients): ChainSourceClient => {
  const filter = { topics: [Object.values(topics)], ...(tokens === undefined ? {} : { address: tokens }) }
  const one = <Value>(call: RpcCall<Value>) => Effect.map(client.batch([call]), ([value]) => value!)

  const logsCall = (fromBlock: number, toBlock: number): RpcCall<ReadonlyArray<Log> | RangeRefused> => ({
    method: "eth_getLogs",
    params: [{ ...filter, fromBlock: hex(fromBlock), toBlock: hex(toBlock) }],
    read: (result) => readLogs(result, { fromBlock, toBlock }),
    readFault: (fault) => {
      const refusal = rangeRefusalOf(fault, fromBlock, toBlock)
      return refusal && { value: new RangeRefused(refusal) }
    },
  })

  const logsOfBlockCall = (blockHash: Hash): RpcCall<ReadonlyArray<Log> | undefined> => ({
    method: "eth_getLogs",
    params: [{ ...filter, blockHash }],
    read: (result) => readLogs(result, { fromBlock: 0, toBlock: Number.MAX_SAFE_INTEGER, blockHash }),
    readFault: (fault) => (isUnknownBlock(fault) ? { value: undefined } : undefined),
  })

  return {
    // Every node is asked, and a wrong answer wins: none may step in with the blocks of another chain.
    chainId: Effect.gen(function* () {
      const first = yield* one(chainIdCall)
      const all = yield* Effect.forEach(each, (node) => Effect.option(node.batch([chainIdCall])))
      return all.flatMap(Option.getOrElse(() => [] as ReadonlyArray<string>)).find((id) => id !== chainId) ?? first
    }),

    head: one({ method: "eth_getBlockByNumber", params: ["latest", false], read: existingHeader }),

    headers: (numbers) => client.batch(numbers.map(headerCall)),

    // The range's last header travels in the same request, ahead of the logs: a node that has not reached it yet
    // would answer with the logs it has, and nothing would tell.
    logs: Effect.fnUntraced(function* (fromBlock, toBlock) {
      const ask = logsCall(fromBlock, toBlock)
      const last: RpcCall<BlockHeader | RangeRefused | undefined> = {
        ...headerCall(toBlock),
        readFault: (fault) => ask.readFault?.(fault) as { readonly value: RangeRefused } | undefined,
      }
      const [header, logs] = (yield* client.batch<unknown>([last, ask])) as [
        BlockHeader | RangeRefused | undefined,
        ReadonlyArray<Log> | RangeRefused,
      ]
      if (logs instanceof RangeRefused) return yield* logs
      if (header instanceof RangeRefused) return yield* header
      if (header === undefined) return yield* new SourceUnavailable({ message: `the node has no block ${toBlock} yet` })
      return logs
    }),

    // A node that does not know the block may say so with an empty list. So an empty one counts only together
    // with the block's header from the same request.
    logsOfBlocks: Effect.fnUntraced(function* (hashes) {
      const found = [...(yield* client.batch(hashes.map(logsOfBlockCall)))]
      const empty = [...hashes.keys()].filter((index) => found[index]?.length === 0)
      const checked = yield* client.batch<unknown>(
        empty.flatMap(
          (index): ReadonlyArray<RpcCall<unknown>> => [
            { method: "eth_getBlockByHash", params: [hashes[index], false], read: headerOf },
            logsOfBlockCall(hashes[index]!),
          ],
        ),
      )
      empty.forEach((index, place) => {
        const [header, logs] = checked.slice(2 * place, 2 * place + 2) as [BlockHeader | undefined, ReadonlyArray<Log>]
        found[index] = header?.hash === hashes[index] ? logs : undefined
      })
      return found
    }),
  }
}

const chainIdCall: RpcCall<string> = {
  method: "eth_chainId",
  params: [],
  read: (result) => String(quantityOf(result, "chain id")),
}

const headerCall = (number: number): RpcCall<BlockHeader | undefined> => ({
  method: "eth_getBlockByNumber",
  params: [hex(number), false],
  read: (result) => {
    const header = headerOf(result)
    if (header !== undefined && header.number !== number) {
      throw new Malformed(`block ${header.number}, where ${number} was asked for`)
    }
    return header
  },
})

const existingHeader = (result: unknown): BlockHeader => {
  const header = headerOf(result)
  if (header === undefined) throw new Malformed(`a block that must exist is ${quote(result)}`)
  return header
}

const isUnknownBlock = ({ kind, message }: RpcFault): boolean =>
  kind === "answer" &&
  /unknown block|block not found|header not found|not found: block|could not find block/i.test(message)

const hex = (number: number): string => `0x${number.toString(16)}`

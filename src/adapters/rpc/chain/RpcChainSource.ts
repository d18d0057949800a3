/** The ChainSource port over JSON-RPC. */
import { Effect, Layer, Option } from "effect"
import { followedTopics } from "../../../domain/ingest/decode/topics.ts"
import type { Log } from "../../../model/block.ts"
import { noFaults } from "../../../model/fault.ts"
import type { Hash } from "../../../model/primitives.ts"
import {
  ChainSource,
  type ChainSourceClient,
  type CrossCheck,
  RangeRefused,
  type SourceHeader,
  SourceUnavailable,
} from "../../../ports/ChainSource.ts"
import type { RpcCall } from "../transport/answers.ts"
import type { RpcClient } from "../transport/client.ts"
import type { ChainClients, RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { readChainId } from "../transport/startCheck.ts"
import { quantity } from "../wire/abi.ts"
import { headerOf, Malformed, quote, receiptsMarkOf } from "../wire/shapes.ts"
import { bloomOf, wantedOf } from "./bloom.ts"
import { logCallsOf, Unwilling } from "./logCalls.ts"
import { receiptsOf } from "./receipts.ts"
import { makeProver, makeSoundness, wantedBy } from "./receiptsProof.ts"

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
export const sourceOf = (clients: ChainClients): ChainSourceClient => {
  const { client, each } = clients
  const { tokens, swaps, bloom, receipts: readsReceipts } = clients.chain
  const signatures = followedTopics(swaps)
  const calls = logCallsOf(signatures, tokens)
  const wanted = wantedOf(signatures, tokens)
  const readBloom = bloom !== false ? (hex: string) => bloomOf(hex, wanted) : undefined
  const isWanted = wantedBy(signatures, tokens)
  const soundness = makeSoundness()
  const receipts = receiptsOf(client, isWanted, soundness)
  const nodes = each.length > 0 ? each : [client]
  const proofs = { chainId: clients.chain.chainId, nodes, first: client.current, soundness, isWanted }
  const prove = readsReceipts === false ? {} : { prove: makeProver(proofs) }
  const one = <Value>(call: RpcCall<Value>) => Effect.map(client.batch([call]), ([value]) => value!)
  /** Another node than the one in use. */
  const other = () => (each.length > 1 ? each[(client.current() + 1) % each.length] : undefined)

  const readHeader = (result: unknown): SourceHeader | undefined => {
    const header = headerOf(result, readBloom)
    const mark = readsReceipts === false ? undefined : receiptsMarkOf(result)
    return header && mark ? { ...header, receipts: mark } : header
  }

  const headerCall = (number: number): RpcCall<SourceHeader | undefined> => ({
    method: "eth_getBlockByNumber",
    params: [quantity(number), false],
    read: (result) => {
      const header = readHeader(result)
      if (header !== undefined && header.number !== number) {
        throw new Malformed(`block ${header.number}, where ${number} was asked for`)
      }
      return header
    },
  })

  /** A node that does not know the block may say so with an empty list: one counts only with the block's header from the same request. */
  const logsOfBlocks = Effect.fnUntraced(function* (from: RpcClient, hashes: ReadonlyArray<Hash>) {
    const found = [...(yield* from.batch(hashes.map(calls.ofBlock)))]
    const empty = [...hashes.keys()].filter((index) => found[index]?.length === 0)
    const checked = yield* from.batch<unknown>(
      empty.flatMap(
        (index): ReadonlyArray<RpcCall<unknown>> => [
          { method: "eth_getBlockByHash", params: [hashes[index], false], read: (result) => headerOf(result) },
          calls.ofBlock(hashes[index]!),
        ],
      ),
    )
    empty.forEach((index, place) => {
      const [header, logs] = checked.slice(2 * place, 2 * place + 2) as [
        SourceHeader | undefined,
        (typeof found)[number],
      ]
      found[index] = header?.hash === hashes[index] ? logs : undefined
    })
    return found
  })

  /**
   * Asked apart, header and logs may be of two nodes behind one address, of which one is behind: its logs end early. So
   * the header is asked again, and what came after the last log: of another node, where there is one.
   */
  const checkApart = Effect.fnUntraced(function* (before: SourceHeader, logs: ReadonlyArray<Log>, fromBlock: number) {
    const after = yield* one(headerCall(before.number))
    if (after?.hash !== before.hash) return yield* noBlock(before.number)
    const next = (logs.at(-1)?.blockNumber ?? fromBlock - 1) + 1
    if (next > before.number) return
    const call = calls.ofRange(next, before.number)
    const [more] = yield* Effect.catch((other() ?? client).batch([call]), () => client.batch([call]))
    if (more instanceof RangeRefused || more instanceof Unwilling || more!.length === 0) return
    return yield* new SourceUnavailable({
      kind: "logs",
      message: `blocks ${next} to ${before.number} were said to hold no token logs, then ${more!.length}`,
    })
  })

  return {
    chainId: readChainId(clients),

    head: one({
      method: "eth_getBlockByNumber",
      params: ["latest", false],
      read: (result) => existing(readHeader(result), result),
    }),

    headers: (numbers) => client.batch(numbers.map(headerCall)),

    // The range's last header travels in the same request, ahead of the logs: a node that has not reached it yet
    // would answer with the logs it has, and nothing would tell.
    logs: Effect.fnUntraced(function* (fromBlock, toBlock) {
      const ask = calls.ofRange(fromBlock, toBlock)
      const last: RpcCall<SourceHeader | RangeRefused | undefined> = {
        ...headerCall(toBlock),
        readFault: (fault) => {
          const { value } = ask.readFault?.(fault) ?? {}
          return value instanceof RangeRefused ? { value } : undefined
        },
      }
      const { values, whole } = yield* client.together<unknown>([last, ask])
      const [header, logs] = values as [
        SourceHeader | RangeRefused | undefined,
        ReadonlyArray<Log> | RangeRefused | Unwilling,
      ]
      if (logs instanceof RangeRefused) return yield* logs
      if (header instanceof RangeRefused) return yield* header
      if (header === undefined) return yield* noBlock(toBlock)
      if (logs instanceof Unwilling) return yield* new RangeRefused({ message: logs.message })
      if (!whole) yield* checkApart(header, logs, fromBlock)
      return logs
    }),

    logsOfBlocks: Effect.fnUntraced(function* (hashes) {
      const found = yield* logsOfBlocks(client, hashes)
      return yield* Effect.forEach(found, (logs, index) =>
        logs === "refused" ? receipts.logsOf(hashes[index]!, { oneByOne: true }) : Effect.succeed(logs),
      )
    }),

    crossCheck: Effect.fnUntraced(function* (hashes) {
      const node = other()
      const second = node === undefined ? Option.none() : yield* Effect.option(logsOfBlocks(node, hashes))
      return yield* Effect.forEach(hashes, (hash, index) =>
        Effect.map(Effect.option(receipts.logsOf(hash, { oneByOne: false })), (own): CrossCheck => {
          const fromSecond = Option.getOrUndefined(second)?.[index]
          const fromReceipts = Option.getOrUndefined(own)
          return {
            ...(fromSecond === undefined || fromSecond === "refused" ? {} : { second: fromSecond }),
            ...(fromReceipts === undefined ? {} : { receipts: fromReceipts }),
          }
        }),
      )
    }),

    heardAt: () => client.heardAt?.(),
    refusals: () => client.refusals?.() ?? noFaults,
    failover: client.failover,
    ...prove,
  }
}

const noBlock = (number: number) =>
  new SourceUnavailable({ kind: "behind", message: `the node has no block ${number} yet` })

const existing = (header: SourceHeader | undefined, result: unknown): SourceHeader => {
  if (header === undefined) throw new Malformed(`a block that must exist is ${quote(result)}`, "behind")
  return header
}

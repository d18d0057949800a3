/** The ChainSource port over JSON-RPC. */
import { Effect, Layer, Option } from "effect"
import { followedTopics } from "../../../domain/ingest/decode/topics.ts"
import { noFaults } from "../../../model/fault.ts"
import { ChainSource, type ChainSourceClient, type CrossCheck } from "../../../ports/ChainSource.ts"
import { readChainId } from "../transport/chainIdAtStart.ts"
import type { ChainClients, RpcChain } from "../transport/RpcClients.ts"
import * as RpcClients from "../transport/RpcClients.ts"
import { readBlockLogs } from "./blockLogs.ts"
import { bloomOf, wantedOf } from "./bloom.ts"
import { contractLogsOf } from "./contractLogs.ts"
import { eachNodeOf } from "./eachNode.ts"
import { type HeaderCalls, headerCallsOf } from "./headerCalls.ts"
import { type LogCalls, logCallsOf } from "./logCalls.ts"
import { Misnumbered } from "./logs.ts"
import { recoverOf } from "./misnumbered.ts"
import { rangeLogsOf } from "./rangeLogs.ts"
import { wantedBy } from "./receiptLogs.ts"
import { receiptsOf } from "./receipts.ts"
import { makeProver } from "./receiptsProof.ts"
import { makeReceiptsVerifier } from "./receiptsVerifier.ts"
import { makeWatch } from "./unanswered.ts"

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
  const { chainId, tokens, swaps, approvals, bloom, receipts: readsReceipts = true } = clients.chain
  const signatures = followedTopics(swaps, approvals)
  const { watched, longest } = makeWatch()
  const plain = logCallsOf(signatures, tokens)
  const calls: LogCalls = {
    ofRange: (fromBlock, toBlock) => plain.ofRange(fromBlock, toBlock).map((call) => watched(call)),
    ofBlock: (hash) => plain.ofBlock(hash).map((call) => watched(call, true)),
  }
  const wanted = wantedOf(signatures, tokens)
  const readBloom = bloom !== false ? (hex: string) => bloomOf(hex, wanted) : undefined
  const headers = headerCallsOf({ readBloom, readsReceipts })
  const watchedHeaders: HeaderCalls = {
    head: watched(headers.head),
    ofNumber: (number) => watched(headers.ofNumber(number)),
  }
  const isWanted = wantedBy(signatures, tokens)
  const verifier = makeReceiptsVerifier()
  const receipts = receiptsOf(client, isWanted, verifier)
  const recover = recoverOf(chainId, client, receipts)
  const nodes = each.length > 0 ? each : [client]
  const proofs = { chainId, nodes, first: client.current, verifier, isWanted, headers }
  const { noteTeller, ...eachNode } = eachNodeOf(clients, { headers, logs: logCallsOf(signatures, tokens) })
  /** Another node than the one at this place. */
  const other = (place: number) => (each.length > 1 ? each[(place + 1) % each.length] : undefined)

  return {
    chainId: readChainId(clients),
    head: Effect.map(client.batch([watchedHeaders.head]), ([head]) => head!),
    headers: (numbers) => client.batch(numbers.map(watchedHeaders.ofNumber)),
    logs: rangeLogsOf({ client, other, headers: watchedHeaders, logs: calls, recover, noteTeller }),

    logsOfBlocks: Effect.fnUntraced(function* (hashes) {
      const found = yield* readBlockLogs(client, calls, hashes)
      return yield* Effect.forEach(found, (logs, index) => {
        if (logs instanceof Misnumbered) return recover(logs.blocks[0]!)
        return logs === "refused" ? receipts.logsOf(hashes[index]!, { oneByOne: true }) : Effect.succeed(logs)
      })
    }),

    crossCheck: Effect.fnUntraced(function* (hashes) {
      const node = other(client.current())
      const second = node === undefined ? Option.none() : yield* Effect.option(readBlockLogs(node, plain, hashes))
      return yield* Effect.forEach(hashes, (hash, index) =>
        Effect.map(Effect.option(receipts.logsOf(hash, { oneByOne: false })), (own): CrossCheck => {
          const fromSecond = Option.getOrUndefined(second)?.[index]
          const fromReceipts = Option.getOrUndefined(own)
          return {
            ...(fromSecond === undefined || fromSecond === "refused" || fromSecond instanceof Misnumbered
              ? {}
              : { second: fromSecond }),
            ...(fromReceipts === undefined ? {} : { receipts: fromReceipts }),
          }
        }),
      )
    }),

    contractLogs: contractLogsOf(clients, headers, followedTopics(false)),

    heardAt: () => client.heardAt?.(),
    refusals: () => client.refusals?.() ?? noFaults,
    refusalsOfCallers: () => client.refusalsOfCallers?.() ?? noFaults,
    newestRefusals: () => client.newestRefusals?.() ?? {},
    unanswered: longest,
    failover: client.failover,
    ...(each.length > 0 ? { nodes: eachNode } : {}),
    // What is learned of old blocks says nothing of the newest: chains have changed how they hash receipts.
    ...(readsReceipts
      ? {
          prove: makeProver(proofs),
          proveFinal: makeProver({ ...proofs, verifier: makeReceiptsVerifier(), ofAllAges: true }),
        }
      : {}),
  }
}

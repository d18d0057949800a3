/** The ports that ask a chain's nodes, of a process that answers for more chains than it has nodes of: of the others there is none. */
import { Effect, Layer } from "effect"
import type { ChainId } from "../../model/primitives.ts"
import { AccountCodes } from "../../ports/AccountCodes.ts"
import { ChainNode } from "../../ports/ChainNode.ts"
import { ChainSource, type ChainSourceClient, SourceUnavailable } from "../../ports/ChainSource.ts"
import { LogSearch } from "../../ports/LogSearch.ts"
import { NativeBalances } from "../../ports/NativeBalances.ts"
import { NativeHistories, type NativeTold } from "../../ports/NativeHistories.ts"
import { TokenViews } from "../../ports/TokenViews.ts"
import { TransactionSource } from "../../ports/TransactionSource.ts"

/** The same services; `chains`: those that have nodes. */
export const layer = (chains: ReadonlyArray<{ readonly chainId: ChainId }>) => {
  const configured = new Set(chains.map(({ chainId }) => chainId))
  const has = (chainId: ChainId): boolean => configured.has(chainId)
  return Layer.mergeAll(
    Layer.effect(
      TokenViews,
      Effect.map(TokenViews, (inner) => ({
        ask: (chainId, questions, at) => (has(chainId) ? inner.ask(chainId, questions, at) : noNode(chainId)),
        perCall: (chainId, blockNumber) => (has(chainId) ? inner.perCall(chainId, blockNumber) : 1),
      })),
    ),
    Layer.effect(
      AccountCodes,
      Effect.map(AccountCodes, (inner) => ({
        kindsOf: (chainId, addresses, blockNumber) =>
          has(chainId) ? inner.kindsOf(chainId, addresses, blockNumber) : noNode(chainId),
      })),
    ),
    Layer.effect(
      NativeBalances,
      Effect.map(NativeBalances, (inner) => ({
        of: (chainId, addresses, blockNumber, hash) =>
          has(chainId) ? inner.of(chainId, addresses, blockNumber, hash) : noNode(chainId),
      })),
    ),
    Layer.effect(
      NativeHistories,
      Effect.map(NativeHistories, (inner) => ({
        through: (chainId, address, moments, ledger) =>
          has(chainId)
            ? inner.through(chainId, address, moments, ledger)
            : Effect.succeed(moments.map((): NativeTold | undefined => undefined)),
      })),
    ),
    Layer.effect(
      ChainSource,
      Effect.map(ChainSource, (inner) => ({
        of: (chainId) => (has(chainId) ? inner.of(chainId) : noSource(noNode(chainId))),
      })),
    ),
    Layer.effect(
      TransactionSource,
      Effect.map(TransactionSource, (inner) => ({
        read: (chainId, ...rest) => (has(chainId) ? inner.read(chainId, ...rest) : noNode(chainId)),
      })),
    ),
    Layer.effect(
      ChainNode,
      Effect.map(ChainNode, (inner) => ({
        sends: inner.sends,
        call: (chainId, method, params) => (has(chainId) ? inner.call(chainId, method, params) : noNode(chainId)),
      })),
    ),
    Layer.effect(
      LogSearch,
      Effect.map(LogSearch, (inner) => ({
        find: (chainId, filter, window) => (has(chainId) ? inner.find(chainId, filter, window) : noNode(chainId)),
      })),
    ),
  )
}

/** A chain of which nothing can be asked, for the reason that `none` fails with. */
const noSource = (none: Effect.Effect<never, SourceUnavailable>): ChainSourceClient => ({
  chainId: none,
  head: none,
  headers: () => none,
  logs: () => none,
  logsOfBlocks: () => none,
  crossCheck: (hashes) => Effect.succeed(hashes.map(() => ({}))),
  failover: Effect.void,
})

const noNode = (chainId: ChainId) =>
  Effect.fail(
    new SourceUnavailable({
      message: `this process has no node of chain ${chainId} (RPC_URL_${chainId})`,
      noNode: true,
    }),
  )

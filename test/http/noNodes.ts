/** A service whose process has no node of any chain, and no upstream: what it says is what such a process says. */
import { Effect, Layer } from "effect"
import * as WhereConfigured from "../../src/adapters/unconfigured/WhereConfigured.ts"
import { AccountCodes } from "../../src/ports/AccountCodes.ts"
import { ChainNode } from "../../src/ports/ChainNode.ts"
import { ChainSource } from "../../src/ports/ChainSource.ts"
import { LogSearch } from "../../src/ports/LogSearch.ts"
import { NativeBalances } from "../../src/ports/NativeBalances.ts"
import { NativeHistories } from "../../src/ports/NativeHistories.ts"
import { TokenViews } from "../../src/ports/TokenViews.ts"
import { TransactionSource } from "../../src/ports/TransactionSource.ts"
import { Upstream, UpstreamUnavailable } from "../../src/ports/Upstream.ts"

const unasked = "a node was asked that there is not"
/** Of no chain they are asked. */
const never = () => Effect.die(unasked)

const nodes = Layer.mergeAll(
  Layer.succeed(TokenViews, { ask: never, perCall: () => 1 }),
  Layer.succeed(AccountCodes, { kindsOf: never }),
  Layer.succeed(NativeBalances, { of: never }),
  Layer.succeed(NativeHistories, { through: never }),
  Layer.succeed(ChainSource, {
    of: () => {
      throw new Error(unasked)
    },
  }),
  Layer.succeed(TransactionSource, { read: never }),
  Layer.succeed(ChainNode, { sends: false, call: never }),
  Layer.succeed(LogSearch, { find: never }),
)

const noUpstream = Layer.succeed(Upstream, {
  serves: () => false,
  ask: () => Effect.fail(new UpstreamUnavailable({ message: "none is configured" })),
})

export const layer = Layer.merge(WhereConfigured.layer([]).pipe(Layer.provide(nodes)), noUpstream)

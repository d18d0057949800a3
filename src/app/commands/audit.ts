/** `cowry audit`: tokens of the ledger compared with what their contracts answer at the same block, now. */
import { Effect, Result } from "effect"
import { complain } from "../../adapters/terminal/print.ts"
import type { Config } from "../../config/readConfig.ts"
import { addressOf } from "../../model/primitives.ts"
import { auditChain, type Wish } from "./auditChain.ts"
import { type Command, configuredChain, failureText, Misused, type Typed } from "./command.ts"

export const audit: Command = {
  name: "audit",
  takes: ["[<chainId>,…]"],
  options: {
    token: { value: "<address>,…", meaning: "these tokens; without, some that are due" },
    all: { value: true, meaning: "every token; of tokens that are named every holder" },
    holders: { value: "<n>", meaning: "so many of the largest holders of each token, 1 to 1000; 20 by default" },
  },
  meaning:
    "compare tokens with what their contracts answer at the same block: ends with 1 where something differs, with 2 where it could not",
  // 1 is drift, which monitors wake people for.
  failureCode: 2,
  check: (typed, config) => Effect.andThen(chainsOf(typed, config), wishOf(typed)),
  run: Effect.fn("audit")(function* (typed, config) {
    const wish = yield* wishOf(typed)
    let drifting = 0
    for (const chain of yield* chainsOf(typed, config)) {
      const found = yield* Effect.result(auditChain(chain, wish))
      if (Result.isFailure(found)) {
        complain(`cowry audit: chain ${chain.chainId}: ${failureText(found.failure)}`)
        return 2 as const
      }
      drifting += found.success
    }
    return drifting > 0 ? (1 as const) : (0 as const)
  }),
}

const chainsOf = ({ words: [ids] }: Typed, config: Config) =>
  ids === undefined
    ? configuredChains(config)
    : Effect.forEach(new Set(ids.split(",")), (id) => configuredChain(id, config))

/** A reader may have none: all of none would be well. */
const configuredChains = ({ chains }: Config) =>
  chains.length > 0
    ? Effect.succeed(chains)
    : Effect.fail(
        new Misused({ message: "no chain is configured: set RPC_URL_<chain id> to the node it is compared by" }),
      )

const wishOf = Effect.fnUntraced(function* ({ options: { token, all, holders } }: Typed) {
  const typed = typeof token === "string" ? [...new Set(token.toLowerCase().split(","))] : undefined
  const wrong = typed?.find((it) => addressOf(it) === undefined)
  if (wrong !== undefined) {
    return yield* new Misused({ message: `--token: expected addresses of 40 hex digits, got ${JSON.stringify(wrong)}` })
  }
  const top = holders === undefined ? 20 : /^\d+$/u.test(String(holders)) ? Number(holders) : 0
  if (top < 1 || top > 1000) {
    return yield* new Misused({ message: `--holders: expected a whole number from 1 to 1000, got ${holders}` })
  }
  const tokens = typed?.flatMap((it) => addressOf(it) ?? [])
  const wish: Wish = { all: all === true, top, ...(tokens === undefined ? {} : { tokens }) }
  return wish
})

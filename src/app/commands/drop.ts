/** `cowry drop`: a chain's ledger removed from the database. */
import { createInterface } from "node:readline/promises"
import { Effect } from "effect"
import { Database } from "../../adapters/postgres/database/Database.ts"
import {
  claimChain,
  dropChain,
  forgetNext,
  keepWritersOut,
  listChains,
  sizeOf,
} from "../../adapters/postgres/rebuild/rebuild.ts"
import { say } from "../../adapters/terminal/print.ts"
import { type Command, Failed, Misused, typedChainId } from "./command.ts"
import { tellOfWait } from "./tellOfWait.ts"

export const drop: Command = {
  name: "drop",
  takes: ["<chainId>"],
  options: {
    next: {
      value: true,
      meaning: "only what a resync or an addition has built beside it; the ledger goes on answering",
    },
    yes: { value: true, meaning: "do not ask" },
  },
  meaning: "remove a chain and all that is stored of it",
  withoutNodes: true,
  check: Effect.fnUntraced(function* ({ words, options }) {
    yield* typedChainId(words[0]!)
    if (options.yes === undefined && process.stdin.isTTY !== true) {
      return yield* new Misused({ message: "standard input is no terminal to ask on: add --yes to drop the chain" })
    }
  }),
  run: Effect.fn("drop")(function* ({ words, options }) {
    const chainId = yield* typedChainId(words[0]!)
    const database = yield* Database
    const bytes = yield* sizeOf(database, chainId)
    if (bytes === undefined) {
      const chains = yield* listChains(database)
      return yield* new Failed({
        message: `there is no chain ${chainId} in the database; ${chains.length === 0 ? "there is none at all" : `there are: ${chains.join(", ")}`}`,
      })
    }
    const session = yield* claimChain(database, chainId)
    if (options.next !== undefined) {
      const question = `Drop what was built beside chain ${chainId}? Type ${chainId}: `
      if (options.yes === undefined && !(yield* confirms(question, chainId))) {
        say("nothing was changed")
        return 1 as const
      }
      if (!(yield* forgetNext(database, chainId)))
        return yield* new Failed({ message: `chain ${chainId}: nothing is built beside it` })
      say(`chain ${chainId}: what was built beside it is removed`)
      return 0 as const
    }
    yield* keepWritersOut(database, session, chainId)
    const size = `${(bytes / 1e6).toFixed(bytes < 1e8 ? 1 : 0)} MB`
    if (
      options.yes === undefined &&
      !(yield* confirms(`Drop chain ${chainId} and its ${size}? Type ${chainId}: `, chainId))
    ) {
      say("nothing was changed")
      return 1 as const
    }
    yield* dropChain(database, session, chainId, tellOfWait(chainId))
    say(`chain ${chainId}: dropped, ${size}`)
    return 0 as const
  }),
}

/** Ctrl-C and the end of the input are no. */
const confirms = (question: string, word: string): Effect.Effect<boolean> =>
  Effect.callback((resume) => {
    const terminal = createInterface({ input: process.stdin, output: process.stdout })
    const end = (answer: boolean) => {
      resume(Effect.succeed(answer))
      terminal.close()
    }
    for (const event of ["SIGINT", "close"] as const) terminal.once(event, () => end(false))
    terminal.question(question).then(
      (answer) => end(answer.trim() === word),
      () => end(false),
    )
    return Effect.sync(() => terminal.close())
  })

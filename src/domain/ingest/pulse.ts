/** What time itself changes of a chain's status: rates fall, and word from the node grows old. */
import { Effect, Exit } from "effect"
import type { ChainSourceClient } from "../../ports/ChainSource.ts"
import type { Report } from "./report.ts"

/** Milliseconds between two looks at the time. */
const ticking = 1000

/** Lets the status age with time; gives the source by which to follow. What else the node answers is no news while it fails to tell its head. */
export const keepTime = Effect.fnUntraced(function* (node: ChainSourceClient, report: Report) {
  let headless = false
  const tick = Effect.suspend(() => report.tick(headless ? undefined : node.heardAt?.(), node.refusals?.()))
  yield* Effect.sleep(ticking).pipe(Effect.andThen(tick), Effect.forever, Effect.forkChild)
  const head = Effect.suspend(() => node.head).pipe(
    Effect.onExit((exit) =>
      Effect.sync(() => {
        if (!Exit.hasInterrupts(exit)) headless = Exit.isFailure(exit)
      }),
    ),
  )
  const source: ChainSourceClient = {
    chainId: node.chainId,
    head,
    headers: (numbers) => node.headers(numbers),
    logs: (fromBlock, toBlock) => node.logs(fromBlock, toBlock),
    logsOfBlocks: (hashes) => node.logsOfBlocks(hashes),
    otherWords: (hashes) => node.otherWords(hashes),
    turn: node.turn,
    ...(node.prove === undefined ? {} : { prove: node.prove }),
  }
  return source
})

/** What an earlier run has built beside the stored ledger: kept where a node does not fit it, removed where that is asked for. */
import { Effect } from "effect"
import type { DatabaseShape } from "../../adapters/postgres/database/Database.ts"
import { forgetNext } from "../../adapters/postgres/rebuild/rebuild.ts"
import { say } from "../../adapters/terminal/print.ts"
import type { ForkTooDeep } from "../../domain/ingest/state/forkErrors.ts"
import type { ChainId } from "../../model/primitives.ts"
import { type Command, Failed, type Typed } from "./command.ts"

/** The option of a command that builds. */
export const anewOption: Command["options"] = {
  anew: { value: true, meaning: "remove what an earlier run has built, and begin anew" },
}

/** A first sync's time may lie in it: it is removed where that was typed, and nowhere else while the settings are the same. */
export const forgetWhereAnew = Effect.fnUntraced(function* (
  { options }: Typed,
  database: DatabaseShape,
  chainId: ChainId,
) {
  if (options.anew !== true) return
  if (yield* forgetNext(database, chainId)) say(`chain ${chainId}: what an earlier run had built is removed`)
})

interface Building {
  /** Its name. */
  readonly command: string
  readonly chainId: ChainId
  readonly finality: number
}

/** The node may be the wrong one: its word removes nothing. */
export const keptAtFork = ({ command, chainId, finality }: Building, { block, theirs }: ForkTooDeep): Failed =>
  new Failed({
    message:
      `the node's block ${block.number} is ${theirs}, the one of what was built ${block.hash}. ` +
      `Blocks this old cannot be taken back. What was built stays: with a node of its chain run the command again. ` +
      `If this node is right, set FINALITY_${chainId} above ${finality} and begin anew: cowry ${command} ${chainId} --anew`,
  })

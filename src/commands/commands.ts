/** Every command beside `start`, in the order of `cowry --help`. */
import type { Command } from "./command.ts"
import { drop } from "./drop.ts"
import { resync } from "./resync.ts"

export const commands: ReadonlyArray<Command> = [resync, drop]

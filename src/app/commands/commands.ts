/** Every command beside `start`, in the order of `cowry --help`. */
import { add } from "./add.ts"
import { audit } from "./audit.ts"
import type { Command } from "./command.ts"
import { drop } from "./drop.ts"
import { resync } from "./resync.ts"

export const commands: ReadonlyArray<Command> = [audit, add, resync, drop]

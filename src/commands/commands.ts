/** Every command beside `start`, in the order of `cowry --help`. */
import type { Command } from "./command.ts"

export const commands: ReadonlyArray<Command> = []

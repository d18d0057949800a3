/** The program `cowry`: the service, or one of the commands beside it. */
import { readFileSync } from "node:fs"
import { bearDriverFault } from "./adapters/postgres/database/driverFault.ts"
import { errorLines } from "./adapters/terminal/loggers.ts"
import { complain } from "./adapters/terminal/print.ts"
import { helpOf, readLine } from "./app/commands/commandLine.ts"
import { readSettings, tellStrays } from "./app/commands/configured.ts"
import { start } from "./app/commands/start.ts"

const version = (): string =>
  (JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8")) as { version: string }).version

/** Loaded where words ask for one: the service starts without them. */
const commandsFor = async ([first]: ReadonlyArray<string>) =>
  first === undefined || first === "start" ? [] : (await import("./app/commands/commands.ts")).commands

/** The exit code. */
const main = async (): Promise<number> => {
  const words = process.argv.slice(2)
  const commands = await commandsFor(words)
  const line = readLine(words, commands)
  switch (line.kind) {
    case "help":
      console.log(helpOf(commands))
      return 0
    case "version":
      console.log(`cowry ${version()}`)
      return 0
    case "misused":
      complain(`cowry: ${line.message}`)
      return 2
    case "start": {
      const config = readSettings("start")
      if (config === undefined) return 1
      tellStrays(config)
      return start(config)
    }
    case "command":
      return (await import("./app/commands/run.ts")).runCommand(line.command, line.typed)
  }
}

bearDriverFault((error) => console.error(errorLines(error).join("\n")))
process.exit(await main())

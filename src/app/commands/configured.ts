/** The configuration a command runs with, or the complaints about it. */
import { complain, voiceOf } from "../../adapters/terminal/print.ts"
import { givenSettings } from "../../config/configFile.ts"
import { type Config, readConfig } from "../../config/readConfig.ts"
import { strayLine } from "../../config/straySettings.ts"

/** `what` cannot be done, it says, where a setting is wrong; all problems at once. `options`: as of `readConfig`. */
export const readSettings = (what: string, options: Parameters<typeof readConfig>[2] = {}): Config | undefined => {
  const { given, facts, problems } = givenSettings(process.env)
  const config = readConfig(given, facts, options)
  const all = [...problems, ...("problems" in config ? config.problems : [])]
  if (all.length === 0 && !("problems" in config)) return config
  complain(`cowry cannot ${what}; ${all.length === 1 ? "one setting needs" : `${all.length} settings need`} attention:`)
  for (const problem of all) complain(`  ${problem}`)
  complain("All settings: docs/operations.md")
  return undefined
}

/** Of the environment alone: in the file such a name is a problem, since nobody else writes there. */
export const tellStrays = ({ chains, logFormat }: Config): void => {
  const line = strayLine(
    process.env,
    chains.map(({ chainId }) => chainId),
  )
  if (line !== undefined) voiceOf(logFormat).warn(line)
}

/** What is given: the settings of the environment over those of the file of COWRY_CONFIG, and what that file says of chains. */
import { readFileSync } from "node:fs"
import { chainIdOf } from "../model/primitives.ts"
import { isObject } from "../model/userFiles/shapes.ts"
import { chainSettings } from "./chainSettings.ts"
import { readFacts, type WrittenFacts } from "./chains/facts.ts"
import { serviceSettings } from "./settings.ts"

type Text = Readonly<Record<string, string | undefined>>

export interface Given {
  /** Name → text. */
  readonly given: Text
  readonly facts: Readonly<Record<string, WrittenFacts>>
  readonly problems: ReadonlyArray<string>
}

/**
 * `COWRY_CONFIG` names a JSON file of the same words: texts, numbers, true/false, or lists of texts. The environment wins,
 * unless it is blank. `chains` in the file holds facts by chain id (`chains/facts.ts`).
 */
export const givenSettings = (env: Text): Given => {
  const path = env.COWRY_CONFIG
  if (path === undefined || path === "") return { given: env, facts: {}, problems: [] }
  let file: unknown
  try {
    file = JSON.parse(readFileSync(path, "utf8"))
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? "it is not JSON" : (cause as NodeJS.ErrnoException).code
    return { given: env, facts: {}, problems: [`COWRY_CONFIG: cannot read ${JSON.stringify(path)}: ${reason}`] }
  }
  if (!isObject(file)) {
    return {
      given: env,
      facts: {},
      problems: [`COWRY_CONFIG: expected ${JSON.stringify(path)} to hold one JSON object of settings`],
    }
  }
  const problems: Array<string> = []
  const fromFile: Record<string, string> = {}
  const { chains, ...settings } = file
  for (const [name, value] of Object.entries(settings)) {
    const written = writtenOf(value)
    if (!isSetting(name)) problems.push(`${name}: no such setting (in the file of COWRY_CONFIG)`)
    else if (written === undefined)
      problems.push(`${name}: expected a text, a number, true, false or a list of texts (in the file of COWRY_CONFIG)`)
    else fromFile[name] = written
  }
  const said = Object.entries(env).filter(([, value]) => value?.trim() !== "")
  return { given: { ...fromFile, ...Object.fromEntries(said) }, facts: factsOf(chains, problems), problems }
}

const factsOf = (chains: unknown, problems: Array<string>): Readonly<Record<string, WrittenFacts>> => {
  const facts: Record<string, WrittenFacts> = {}
  const found: Array<string> = []
  if (chains !== undefined && !isObject(chains)) found.push("chains: expected an object by chain id")
  for (const [id, value] of isObject(chains) ? Object.entries(chains) : []) {
    const isChainId = chainIdOf(id) !== undefined
    if (!isChainId) found.push(`chains.${id}: expected a chain id, got ${JSON.stringify(id)}`)
    const read = readFacts(`chains.${id}`, value, found)
    if (isChainId) facts[id] = read
  }
  problems.push(...found.map((problem) => `${problem} (in the file of COWRY_CONFIG)`))
  return facts
}

const writtenOf = (value: unknown): string | undefined => {
  // An empty list is said, a blank text is not: `[]` takes out what the chain table has.
  if (Array.isArray(value))
    return value.every((item) => typeof item === "string") ? value.join(",") || "none" : undefined
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined
}

/** RPC_URL_ of what is no chain id is a problem that `readConfig` tells. */
const isSetting = (name: string): boolean =>
  Object.hasOwn(serviceSettings, name) ||
  name.startsWith("RPC_URL_") ||
  Object.keys(chainSettings).some(
    (prefix) => name.startsWith(`${prefix}_`) && chainIdOf(name.slice(prefix.length + 1)) !== undefined,
  )

/** The settings as given: the environment over the file of COWRY_CONFIG. */
import { readFileSync } from "node:fs"
import { chainSettings, serviceSettings } from "./settings.ts"

type Given = Readonly<Record<string, string | undefined>>

/** `COWRY_CONFIG` names a JSON file of the same words: texts, numbers, true/false, or lists of texts. The environment wins. */
export const givenSettings = (env: Given): { readonly given: Given; readonly problems: ReadonlyArray<string> } => {
  const path = env.COWRY_CONFIG
  if (path === undefined || path === "") return { given: env, problems: [] }
  let file: unknown
  try {
    file = JSON.parse(readFileSync(path, "utf8"))
  } catch (cause) {
    const reason = cause instanceof SyntaxError ? "it is not JSON" : (cause as NodeJS.ErrnoException).code
    return { given: env, problems: [`COWRY_CONFIG: cannot read ${JSON.stringify(path)}: ${reason}`] }
  }
  if (typeof file !== "object" || file === null || Array.isArray(file)) {
    return {
      given: env,
      problems: [`COWRY_CONFIG: expected ${JSON.stringify(path)} to hold one JSON object of settings`],
    }
  }
  const problems: Array<string> = []
  const fromFile: Record<string, string> = {}
  for (const [name, value] of Object.entries(file)) {
    const written = writtenOf(value)
    if (!isSetting(name)) problems.push(`${name}: no such setting (in the file of COWRY_CONFIG)`)
    else if (written === undefined)
      problems.push(`${name}: expected a text, a number, true, false or a list of texts (in the file of COWRY_CONFIG)`)
    else fromFile[name] = written
  }
  return { given: { ...fromFile, ...env }, problems }
}

const writtenOf = (value: unknown): string | undefined => {
  if (Array.isArray(value)) return value.every((item) => typeof item === "string") ? value.join(",") : undefined
  return ["string", "number", "boolean"].includes(typeof value) ? String(value) : undefined
}

const isSetting = (name: string): boolean =>
  name in serviceSettings || Object.keys(chainSettings).some((prefix) => name.startsWith(`${prefix}_`))

/** Names of the environment that look like settings and are none. They count for nothing: whoever wrote them is told. */
import { chainIdOf } from "../model/primitives.ts"
import { chainSettings } from "./chainSettings.ts"
import { isChainName } from "./chains/registry.ts"
import { type Given, isGiven } from "./deriveFields.ts"
import { serviceSettings } from "./settings.ts"

const ofService = [...Object.keys(serviceSettings), "COWRY_CONFIG"]
const ofChain = Object.keys(chainSettings)
/** A name that begins with another is tried first. */
const chainSettingPattern = new RegExp(`^(${ofChain.toSorted((a, b) => b.length - a.length).join("|")})_(.+)$`, "u")
/** What Kubernetes says of a service whose port has a name: that may end in any number. */
const injectedPattern = /_SERVICE_PORT_/u

/** Letters that may be wrong, and those that a name must have for so many to say little. */
const mostWrong = 2
const leastLetters = 8

/** For the log of a start; undefined = there are none. `chainIds`: those that are followed. Values are not shown. */
export const strayLine = (env: Given, chainIds: ReadonlyArray<string>): string | undefined => {
  const strays = Object.keys(env)
    .filter((name) => isGiven(env[name]) && !ofService.includes(name) && !injectedPattern.test(name))
    .flatMap((name) => strayOf(name, chainIds) ?? [])
  return strays.length === 0
    ? undefined
    : `names like settings that are none, and count for nothing: ${strays.join(", ")}`
}

/** The name, and what may be meant by it. Another program's is undefined, as far as can be told. */
const strayOf = (name: string, chainIds: ReadonlyArray<string>): string | undefined => {
  const [, prefix, rest = ""] = chainSettingPattern.exec(name) ?? []
  const bare = ofChain.includes(name) ? name : prefix !== undefined && isChainName(rest) ? prefix : undefined
  if (bare !== undefined) return `${name} (of a chain it is ${bare}_<chain id>)`
  const [, head = "", id = ""] = /^([A-Z][A-Z\d_]*)_(\d+)$/u.exec(name) ?? []
  if (chainIds.includes(id)) {
    const nearest = nearestOf(head, ofChain)
    return ofChain.includes(head) ? undefined : nearest === undefined ? name : `${name} (is ${nearest}_${id} meant?)`
  }
  // Of a chain that is not followed here.
  if (prefix !== undefined && chainIdOf(rest) !== undefined) return undefined
  const long = ofService.filter((setting) => setting.length >= leastLetters)
  const nearest = nearestOf(name, long)
  return nearest === undefined ? undefined : `${name} (is ${nearest} meant?)`
}

/** The setting that begins alike and differs by the fewest letters. */
const nearestOf = (name: string, settings: ReadonlyArray<string>): string | undefined =>
  settings
    .filter((setting) => setting.slice(0, 2) === name.slice(0, 2))
    .map((setting) => ({ setting, wrong: wrongLetters(name, setting) }))
    .filter(({ wrong }) => wrong <= mostWrong)
    .toSorted((a, b) => a.wrong - b.wrong)[0]?.setting

/** Letters too many, too few or wrong. */
const wrongLetters = (one: string, other: string): number => {
  let row = Array.from(` ${other}`, (_, to) => to)
  for (const [from, letter] of [...one].entries()) {
    const next = [from + 1]
    for (let to = 1; to <= other.length; to++)
      next[to] = Math.min(row[to]! + 1, next[to - 1]! + 1, row[to - 1]! + (letter === other[to - 1] ? 0 : 1))
    row = next
  }
  return row.at(-1)!
}

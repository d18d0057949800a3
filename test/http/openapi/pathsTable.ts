/** The table of paths in the prose for users, from the endpoints' rows. */
import { chainPath } from "../../../src/adapters/http/contract/path.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import { makeEvents } from "../../../src/adapters/http/events/events.ts"

const begin = "<!-- Written by test/http/openapi/documented.ts: an endpoint's row says it. -->\n"
const end = "<!-- So far. -->\n"

const rows = [...endpoints, ...makeEvents({}).endpoints].flatMap(({ path, about, doc }) => {
  if (about.kind === "service" || doc.hidden === true) return []
  const all = "takesAll" in about && about.takesAll === true ? "yes" : ""
  const shown = path.startsWith(chainPath) ? path.replace(chainPath, "…") : path
  return [`| \`${shown}\` | ${doc.summary} | ${all} |\n`]
})

const table = `| path | what it answers | \`all\` |\n|---|---|---|\n${rows.join("")}`

/** The prose with the table of today in the place of the one it has. */
export const withPathsTable = (prose: string): string => {
  const [before, rest] = prose.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error("interface.md: the marks around the paths are gone")
  return `${before}${begin}${table}${end}${after}`
}

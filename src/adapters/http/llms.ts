/** `/llms.txt`: what this service answers, in short, for programs that read: made of the endpoint table. Open to everybody. */
import { Effect } from "effect"
import { tags } from "./contract/documentation.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import { pageRow } from "./contract/webPage.ts"

const about = `# Cowry

> Token data of EVM chains: ERC-20, ERC-721 and ERC-1155 tokens, transfers, holders, balances and supply, exact at any block, from this service's own ledger.

- Paths are filled with a network, a chain id (most lists take \`all\` too) and addresses in any letter case. [Chains that are followed](/ready) and how far they are.
- Amounts are raw subunits, whole numbers in texts; what is not known is absent, never 0. Lists have \`items\` and \`link.next\`, the path of the next page.
- Headers say which block an answer is of: \`x-as-of-block\`, \`x-as-of-hash\`, \`x-as-of-time\`.
- Names and symbols are what contracts say of themselves.
- What happens is told as it happens, in the order of blocks, and what a reorg takes back too: by server-sent events or by webhooks. Both go on from any position.
- Every parameter, field and refusal: [OpenAPI 3.1](/openapi.json), to read: [/docs](/docs).`

const tools = `
- Tools by the Model Context Protocol: \`POST /mcp\` (streamable HTTP, no session, no key but the one that all requests need).`

const rowsOf = ({ path, doc: { summary, methods } }: Endpoint): ReadonlyArray<string> =>
  (methods === undefined
    ? [["get", summary] as const]
    : Object.entries(methods).map(([it, row]) => [it, row.summary])
  ).map(([method, said]) => `- \`${method!.toUpperCase()} ${path}\`: ${said}`)

const textOf = (endpoints: ReadonlyArray<Endpoint>, hasTools: boolean): string => {
  const shown = endpoints.filter(
    ({ doc, methods }) => doc.hidden !== true && (methods === undefined || doc.methods !== undefined),
  )
  const sections = Object.keys(tags).flatMap((tag) => {
    const rows = shown.filter(({ doc }) => doc.tag === tag).flatMap(rowsOf)
    return rows.length === 0 ? [] : [`\n## ${tag}\n`, ...rows]
  })
  return `${[about + (hasTools ? tools : ""), ...sections].join("\n")}\n`
}

/** Of the endpoints that the document shows. `hasTools`: whether `/mcp` is there. */
export const llmsOf = (endpoints: ReadonlyArray<Endpoint>, hasTools: boolean): Endpoint =>
  pageRow("/llms.txt", "This service in short, for programs that read", () =>
    Effect.succeed({
      asOf: [],
      body: textOf(endpoints, hasTools),
      headers: { "content-type": "text/plain; charset=utf-8", "cache-control": "no-cache" },
    }),
  )

/** The texts of two generated files: a table of operations for the program, and interfaces with a method an operation for its users. */
import type { Operation } from "./reduced.ts"

const onChain = "/v2/network/{networkId}/evm/{chainId}/"

export const operationsText = (operations: ReadonlyArray<Operation>, codes: ReadonlyArray<string>): string => `\
/** What the service can be asked, made by \`bun run client:types\` from its OpenAPI document. */

export const operations = {
${operations
  .map((it) => {
    const { name, path, kind, streamed, integers } = it
    return `  ${name}: ${JSON.stringify({ path, kind, streamed, integers })},`
  })
  .join("\n")}
} as const

/** Words that the service's refusals have as their code. */
export type ServiceCode =
${codes.map((code) => `  | "${code}"`).join("\n")}
`

const paramsOf = (path: string): ReadonlyArray<string> =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).filter((name) => name !== "networkId" && name !== "chainId")

const methodOf = ({ name, path, summary, kind, needsQuery }: Operation): string => {
  const places = paramsOf(path).map((param) => `${param}: string, `)
  const answer = kind === "list" ? `List<"${name}">` : `Promise<Answer<"${name}">>`
  return `  /** ${summary} */
  ${name}(${places.join("")}query${needsQuery ? "" : "?"}: Query<"${name}">, options?: CallOptions): ${answer}`
}

const interfaceOf = (name: string, about: string, operations: ReadonlyArray<Operation>): string => `\
/** ${about} */
export interface ${name} {
${operations.map(methodOf).join("\n")}
}
`

export const callsText = (operations: ReadonlyArray<Operation>): string => {
  const isOfChain = ({ path }: Operation) => path.startsWith(onChain)
  const ofService = operations.filter((it) => !isOfChain(it))
  return `\
/** A method an operation, made by \`bun run client:types\` from the OpenAPI document. */
import type { Answer, CallOptions, List, Query } from "../shapes.ts"

${interfaceOf("ChainCalls", "What can be asked of a chain, or of all.", operations.filter(isOfChain))}
${interfaceOf("ServiceCalls", "What can be asked of the service itself.", ofService)}`
}

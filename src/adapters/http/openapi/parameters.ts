/** Parameters as OpenAPI shows them: those of the path from its template, those of the query from the endpoint's row. */
import type { Endpoint } from "../contract/endpoint.ts"
import type { ParameterDoc, ParameterDocs } from "../contract/parameter.ts"
import { sampleContracts, sampleHolder } from "../contract/samples.ts"
import { examples } from "./examples.ts"
import type { Json } from "./json.ts"

const pathDocs: ParameterDocs = {
  networkId: {
    description: "The network that the chain belongs to, as configured: `mainnet`, `testnet` and the like",
    schema: { type: "string" },
    example: "mainnet",
  },
  chainId: {
    description: "The chain's id, a decimal number",
    schema: { type: "string", pattern: "^(0|[1-9]\\d{0,15})$" },
    example: "43114",
  },
  address: {
    description: "The token contract, in any letter case",
    schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
  },
  apiKey: {
    description: "A key, where one is needed; any word otherwise",
    schema: { type: "string" },
    example: "none",
  },
  chainName: {
    description: "The chain as GoldRush names it, or its id",
    schema: { type: "string" },
    example: "avalanche-mainnet",
  },
  walletAddress: {
    description: "The address, in any letter case",
    schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
    example: sampleHolder,
  },
  id: {
    description: "The webhook's id, as it was given when it was made",
    schema: { type: "string" },
    example: "wh_769a46a91051f41876a836b9",
  },
  token: {
    description: "The token contract, in any letter case",
    schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
    example: sampleContracts.erc1155,
  },
}

const anyAddress: ParameterDoc = {
  description: "The address, in any letter case",
  schema: { type: "string", pattern: "^0x[0-9a-fA-F]{40}$" },
  example: sampleHolder,
}

const chainOrAll: ParameterDoc = {
  description: "The chain's id, a decimal number, or `all` for every chain of the network",
  schema: { type: "string", pattern: "^(all|0|[1-9]\\d{0,15})$" },
  example: "43114",
}

export const pathParametersOf = ({ path, about }: Endpoint): ReadonlyArray<Json> =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name = ""]) => {
    const takesAll = name === "chainId" && "takesAll" in about && about.takesAll === true
    const isAnybody = name === "address" && about.kind === "address"
    const doc = takesAll ? chainOrAll : isAnybody ? anyAddress : pathDocs[name]
    const example = name === "address" && about.kind === "contract" ? sampleContracts[about.standard] : doc?.example
    return { name, in: "path", required: true, description: doc?.description, schema: doc?.schema, example }
  })

/** A cursor's example is one that the endpoint gave. */
const cursorOf = (id: string, name: string): string | undefined => {
  const given = examples.cursors[id]
  if (name === "next" || name === "nextToken") return given?.next
  return name === "prev" || name === "prevToken" ? given?.prev : undefined
}

export const queryParametersOf = (id: string, docs: ParameterDocs): ReadonlyArray<Json> =>
  Object.entries(docs).map(([name, doc]) => {
    const example = doc.example ?? cursorOf(id, name)
    const isList = doc.schema.type === "array"
    return {
      name,
      in: "query",
      required: doc.required === true,
      description: isList ? `${doc.description}. Comma-joined or repeated` : doc.description,
      // Repeated and comma-joined mean the same; a document can say one.
      ...(isList ? { style: "form", explode: false } : {}),
      schema: doc.schema,
      ...(example === undefined ? {} : { example }),
    }
  })

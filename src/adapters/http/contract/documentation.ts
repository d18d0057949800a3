/** What the documentation says of an endpoint, and under which heading. */
import type { Schema } from "effect"
import type { Standard } from "../../../model/token.ts"
import type { FaultKind } from "./faults.ts"
import type { ParameterDocs } from "./parameter.ts"

/** The headings, in their order, each with what is below it. */
export const tags = {
  "ERC-20": "Token contracts, transfers, swaps and holders",
  "ERC-721": "Collections, transfers, owners and ids",
  "ERC-1155": "Contracts, transfers and holders of ids",
  Events: "What happens, as it happens",
  Addresses: "What an address allows others",
  "Native currency": "How much of it there is",
  Compatibility: "For clients of Etherscan's API",
  Audit: "What comparing each token with its contract has shown",
  Health: "Of the service itself; open to everybody, not counted",
} as const
export type Tag = keyof typeof tags

/** What people call a standard; what is about it stands below that heading. */
export const standardNames = { erc20: "ERC-20", erc721: "ERC-721", erc1155: "ERC-1155" } as const satisfies Readonly<
  Record<Standard, Tag>
>

/** What one method of a path does. */
export interface MethodDoc {
  readonly operationId: string
  readonly summary: string
  readonly description?: string
  /** Absent = none. */
  readonly query?: ParameterDocs
  /** The body that must be sent; absent = none. */
  readonly request?: Schema.Top
  /** Of an answer; absent = 200. */
  readonly status?: 201
  readonly body: Schema.Top
  /** Of the answer; absent = JSON. */
  readonly media?: string
  /** Shapes of what stands in a body that is no JSON, by what they are called there. */
  readonly parts?: Readonly<Record<string, { readonly description: string; readonly schema: Schema.Top }>>
  /** The refusals of its own, beside those of every endpoint of its style. */
  readonly faults: ReadonlyArray<FaultKind>
}

/** What the documentation says of an endpoint beyond its path. */
export interface EndpointDoc {
  readonly tag: Tag
  readonly summary: string
  readonly description?: string
  /** The query, in the order in which its faults are found. */
  readonly query: ParameterDocs
  /** The body of an answer with status 200. */
  readonly body: Schema.Top
  /** Other statuses with the same body, each with what it means. */
  readonly otherStatuses?: Readonly<Record<number, string>>
  /** Its rows come as NDJSON and CSV too, where `Accept` asks for them. */
  readonly streamed?: true
  /** The refusals of its own, beside those of every endpoint of its style. */
  readonly faults: ReadonlyArray<FaultKind>
  /** Where the path's methods do different things, or what they answer is nothing that is kept: each by its name, in lower case. */
  readonly methods?: Readonly<Record<string, MethodDoc>>
  /** Absent = the endpoint's id in camel case. */
  readonly operationId?: string
  /** Not shown: of the service itself, or another endpoint under one more path. */
  readonly hidden?: true
}

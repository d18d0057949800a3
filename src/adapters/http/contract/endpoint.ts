/** An endpoint is data, wholly: nothing of it is read off the text of its path or its id. */
import type { Effect, Schema } from "effect"
import type { ChainId } from "../../../model/primitives.ts"
import type { Standard } from "../../../model/token.ts"
import type { Chain, Networks } from "../../../ports/Networks.ts"
import type { Answer, Call } from "./call.ts"
import type { Cost } from "./cost.ts"
import type { EndpointDoc } from "./documentation.ts"
import type { Fault } from "./faults.ts"
import type { Ports } from "./ports.ts"

/** The methods that a path has, by its style: clients of the compatibility endpoint may send its parameters as a form. */
export const methods: Readonly<Record<Style, ReadonlyArray<string>>> = {
  native: ["GET", "HEAD", "OPTIONS"],
  compat: ["GET", "HEAD", "POST", "OPTIONS"],
}

/**
 * How an answer is held against the blocks that it must not be older than. `told`: it tells its own. `before`: the ledger is, before the
 * answer is made, which is done once. `none`: nothing of the ledger stands for it.
 */
export type Newness = "told" | "before" | "none"

/** How refusals are phrased: with HTTP statuses, or in the compatibility envelope. */
export type Style = "native" | "compat"

/** What answers speak of. `takesAll`: `all` in the path stands for every chain of the network. */
export type About =
  | { readonly kind: "service" }
  | { readonly kind: "chain"; readonly takesAll: boolean }
  | { readonly kind: "contract"; readonly standard: Standard }
  /** What an address of one chain, or with `takesAll` of all of them, has or did; `ofContract`: of one contract. */
  | { readonly kind: "address"; readonly takesAll?: true; readonly ofContract?: true }

/** What the cost depends on. */
export type Asked = Pick<Call, "param" | "query" | "media" | "body">

/** A refusal before it is put in a shape. */
export interface Refused {
  readonly status: number
  readonly message: string
}

/** How another service is asked and how it refuses, for clients that were written for it. Such a row is native in all else. */
export interface Foreign {
  /** The key as that service's clients send it; what this service's own clients do counts too. */
  readonly keyOf: (sent: Pick<Asked, "param" | "query"> & { readonly headers: Headers }) => string | undefined
  /** Those of the followed chains that it is about. */
  readonly chainsOf: (
    asked: Pick<Asked, "param" | "query" | "body">,
    followed: ReadonlyArray<Chain>,
  ) => ReadonlyArray<ChainId>
  /** The body of a refusal. */
  readonly refusal: (refused: Refused) => unknown
  readonly docs: { readonly refusal: Schema.Top; readonly request?: Schema.Top }
}

export interface Endpoint {
  readonly id: string
  /** `{name}` stands for one segment. */
  readonly path: string
  readonly style: Style
  readonly about: About
  /** Which chain it is about, of those that are followed; undefined = none of them. Absent = its path is below a network, which says it. */
  readonly chainOf?: (asked: Pick<Asked, "param" | "query">, followed: ReadonlyArray<Chain>) => ChainId | undefined
  /** Which of the chains that its path names it is about: those that selectors leave. Absent = all of them. */
  readonly narrowed?: (asked: Pick<Asked, "query">, followed: ReadonlyArray<Chain>) => ReadonlyArray<ChainId>
  /** Absent = `told`. */
  readonly newness?: (asked: Pick<Asked, "query">) => Newness
  /** Absent = those of its style. */
  readonly methods?: ReadonlyArray<string>
  /** Answers to everybody, without key and limit. */
  readonly open?: true
  /** What a GET is told where the process starts, and its store did not open within `afterMs`. Absent = a refusal, after the usual patience. */
  readonly beforeStore?: { readonly afterMs: number; readonly status: number; readonly body: unknown }
  readonly doc: EndpointDoc
  /** It speaks as another service does. Absent = as its style says. */
  readonly foreign?: Foreign
  /** What it answers of one chain as JSON is its ledger's, wholly: the same for everybody for as long as the ledger's revision is the same. */
  readonly ofLedger?: true
  /** What answering costs, of whatever is asked. Absent = nothing that others would wait for. */
  readonly cost?: (call: Asked) => Effect.Effect<Cost, never, Networks>
  readonly answer: (call: Call) => Effect.Effect<Answer, Fault, Ports>
}

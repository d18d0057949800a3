/** Gets documents over HTTP from places that may be slow, broken or hostile: bounded in time, size and redirects. */
import { Context, type Effect, Schema } from "effect"

/** `message` names the place by scheme and host alone: URLs may hold keys. */
export class DocumentUnavailable extends Schema.TaggedError<DocumentUnavailable>()("DocumentUnavailable", {
  message: Schema.String,
}) {}

export interface DocumentRequest {
  /** http: or https:. */
  readonly url: string
  /** A larger body is refused. */
  readonly maxBytes: number
  /** Of the whole exchange, redirects and body included. */
  readonly timeoutMs: number
  /** Validator of the copy that is at hand. */
  readonly etag?: string
}

export interface Document {
  readonly text: string
  readonly etag?: string
}

export class WebDocuments extends Context.Service<
  WebDocuments,
  {
    /** "unchanged" = the copy with the validator sent is still good. Only status 200 (and 304 to a validator) is an answer. */
    get(request: DocumentRequest): Effect.Effect<Document | "unchanged", DocumentUnavailable>
  }
>()("cowry/WebDocuments") {}

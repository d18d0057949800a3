/** The failures a caller can meet, named by cause. Adapters map them to answers; everything else is a defect. */
import { Schema } from "effect"
import type { AsOf } from "./block.ts"

/** The blocks that were read when the failure was found; absent = none. */
export const faultAsOf = Schema.optionalKey(
  Schema.declare((value): value is ReadonlyArray<AsOf> => Array.isArray(value)),
)

/** A parameter's value is not what is wanted. */
export class InvalidParameter extends Schema.TaggedError<InvalidParameter>()("InvalidParameter", {
  parameter: Schema.String,
  value: Schema.String,
  wanted: Schema.String,
  asOf: faultAsOf,
}) {
  override get message() {
    return `${this.parameter}: expected ${this.wanted}, got ${this.value === "" ? "nothing" : this.value}`
  }
}

/** A cursor that was altered, or made by another query. */
export class InvalidCursor extends Schema.TaggedError<InvalidCursor>()("InvalidCursor", { message: Schema.String }) {}

/** No such network, or no such chain in it. */
export class ChainNotSupported extends Schema.TaggedError<ChainNotSupported>()("ChainNotSupported", {
  message: Schema.String,
}) {}

/** A block before the ledger's first. */
export class HistoryNotAvailable extends Schema.TaggedError<HistoryNotAvailable>()("HistoryNotAvailable", {
  message: Schema.String,
  asOf: faultAsOf,
}) {}

/** A token's figure that the ledger cannot know, since it may lack the token's beginning, and that nobody else told. */
export class FigureUnknown extends Schema.TaggedError<FigureUnknown>()("FigureUnknown", {
  message: Schema.String,
  asOf: faultAsOf,
}) {}

/** Which block is meant by a time or a hash cannot be told at the moment, or it became another each time it was read. */
export class BlockUnknown extends Schema.TaggedError<BlockUnknown>()("BlockUnknown", { message: Schema.String }) {}

/** The ledger has no event of such a contract. */
export class TokenNotFound extends Schema.TaggedError<TokenNotFound>()("TokenNotFound", {
  message: Schema.String,
  asOf: faultAsOf,
}) {}

/** The ledger has no approvals: the chain is not followed with them. `message` names the setting. */
export class ApprovalsNotKept extends Schema.TaggedError<ApprovalsNotKept>()("ApprovalsNotKept", {
  message: Schema.String,
}) {}

/** No source tells the supply of a native currency asked for. */
export class SupplyNotConfigured extends Schema.TaggedError<SupplyNotConfigured>()("SupplyNotConfigured", {
  message: Schema.String,
}) {}

/** The configured source of a native supply fails, and has never answered before. */
export class SupplyUnavailable extends Schema.TaggedError<SupplyUnavailable>()("SupplyUnavailable", {
  message: Schema.String,
}) {}

/** The store cannot be reached, or failed. `cause` is for the log, never for the answer. */
export class StoreUnavailable extends Schema.TaggedError<StoreUnavailable>()("StoreUnavailable", {
  cause: Schema.Defect(),
  /** What a caller may be told; absent = that it cannot be reached at the moment. */
  reason: Schema.optionalKey(Schema.String),
  /** What is wrong with the store, in plain words without secrets, for `/ready`; absent = not known. */
  said: Schema.optionalKey(Schema.String),
}) {}

/** A query that would read more than its budget. `message` names a narrower one. */
export class QueryTooSlow extends Schema.TaggedError<QueryTooSlow>()("QueryTooSlow", { message: Schema.String }) {}

export type StoreError = StoreUnavailable | QueryTooSlow

/** From this position nothing exact can be told: what changed behind it is not kept, or the ledger is another one. */
export class EventsGone extends Schema.TaggedError<EventsGone>()("EventsGone", {
  reason: Schema.String,
  /** The newest position from which a consumer can go on; absent = only from the beginning. */
  after: Schema.optionalKey(Schema.String),
  /** All above it is to be forgotten; absent = all. */
  block: Schema.optionalKey(Schema.Finite),
}) {
  override get message() {
    const { reason, after, block } = this
    if (after === undefined) return `${reason}: forget all that was told of it, and begin anew, with after=beginning`
    const what = block === undefined ? "all that was told of it" : `what was told of blocks above ${block}`
    return `${reason}: forget ${what}, and go on with after=${after}`
  }
}

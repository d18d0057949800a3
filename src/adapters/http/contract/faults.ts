/** What the HTTP side itself refuses; what the domain refuses is in `domain/model/errors`. */
import { Schema } from "effect"
import {
  type ApprovalsNotKept,
  type BlockUnknown,
  type ChainNotSupported,
  type EventsGone,
  faultAsOf,
  type HistoryNotAvailable,
  type InvalidCursor,
  type InvalidParameter,
  type StoreError,
  type SupplyNotConfigured,
  type SupplyUnavailable,
  type TokenNotFound,
} from "../../../model/errors.ts"

export class UnknownPath extends Schema.TaggedError<UnknownPath>()("UnknownPath", { message: Schema.String }) {}

export class MethodNotAllowed extends Schema.TaggedError<MethodNotAllowed>()("MethodNotAllowed", {
  message: Schema.String,
  allowed: Schema.Array(Schema.String),
}) {}

/** Strict mode: no configured key. */
export class Unauthorized extends Schema.TaggedError<Unauthorized>()("Unauthorized", { message: Schema.String }) {}

export class RateLimited extends Schema.TaggedError<RateLimited>()("RateLimited", {
  message: Schema.String,
  /** Whole seconds until the next request can pass. */
  retryAfter: Schema.Finite,
}) {}

/** So many wait already that this request would hardly be served in its time. */
export class Overloaded extends Schema.TaggedError<Overloaded>()("Overloaded", {
  message: Schema.String,
  /** Whole seconds after which there may be a place. */
  retryAfter: Schema.Finite,
}) {}

/** The ledger of the chain is not whole yet: its first sync goes on. */
export class ChainSyncing extends Schema.TaggedError<ChainSyncing>()("ChainSyncing", {
  message: Schema.String,
  /** Whole seconds after which it is worth asking again. */
  retryAfter: Schema.Finite,
}) {}

/** No server has a ledger as new as the caller has seen already. */
export class BehindMinBlock extends Schema.TaggedError<BehindMinBlock>()("BehindMinBlock", {
  message: Schema.String,
}) {}

/** This process does not answer that, or not at the moment: another one may. */
export class NotServedHere extends Schema.TaggedError<NotServedHere>()("NotServedHere", { message: Schema.String }) {}

/** A refusal in the compatibility endpoint's own words. */
export class CompatFault extends Schema.TaggedError<CompatFault>()("CompatFault", {
  message: Schema.String,
  result: Schema.NullOr(Schema.String),
  asOf: faultAsOf,
}) {}

export type Fault =
  | UnknownPath
  | MethodNotAllowed
  | Unauthorized
  | RateLimited
  | Overloaded
  | ChainSyncing
  | BehindMinBlock
  | NotServedHere
  | CompatFault
  | InvalidParameter
  | InvalidCursor
  | ChainNotSupported
  | EventsGone
  | HistoryNotAvailable
  | BlockUnknown
  | TokenNotFound
  | ApprovalsNotKept
  | SupplyNotConfigured
  | SupplyUnavailable
  | StoreError

export type FaultKind = Fault["_tag"]

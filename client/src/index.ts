/** What the package gives. */
export type { AsOf } from "./asOf.ts"
export type { Change, Finalized, Heartbeat, RetractedRow, Standard, SwapRow, TokenRow, TransferRow } from "./changes.ts"
export { type Chain, type ClientOptions, type Cowry, createClient, type Readiness } from "./client.ts"
export { CowryError, type ErrorCode } from "./error.ts"
export type { FeedOptions, FeedQuery } from "./feed.ts"
export type { ChainCalls, ServiceCalls } from "./generated/calls.ts"
export type { components, paths } from "./generated/schema.ts"
export type { About, Answer, CallOptions, Item, List, Operation, Page, Query, Row } from "./shapes.ts"

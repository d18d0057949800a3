/** What the documentation says of the stream: its parameters, and the shape of each event's data. */
import { Schema } from "effect"
import { eventKinds } from "../../../model/events/event.ts"
import { ChainId, DateTimeString } from "../../../model/primitives.ts"
import { Erc20Swap } from "../../../model/swap.ts"
import { Erc20Token, NftContract, standards } from "../../../model/token.ts"
import { Erc20Transfer, Erc721Transfer, Erc1155Transfer } from "../../../model/transfer.ts"
import type { EndpointDoc, MethodDoc } from "../contract/documentation.ts"
import { docsOf } from "../contract/parameter.ts"
import { eventParameters } from "./parameters.ts"

const place = {
  id: Schema.String.annotateKey({ description: "The event's own: of one row the same whoever tells it, whenever" }),
  standard: Schema.Literals(standards),
  block: Schema.Finite,
  hash: Schema.optionalKey(Schema.String).annotateKey({
    description: "Of the block; absent = no reorg takes it any more",
  }),
}
const row = {
  ...place,
  late: Schema.optionalKey(Schema.Literal(true)).annotateKey({
    description: "A row that a node had left out, and that was found later: it lies behind",
  }),
}
const position = Schema.optionalKey(Schema.String).annotateKey({
  description: "From where to go on, once all above that block is forgotten; absent = from the beginning",
})

const parts: NonNullable<MethodDoc["parts"]> = {
  transfer: {
    description: "A row of the lists of transfers",
    schema: Schema.Union([
      Schema.Struct({ ...row, ...Erc20Transfer.fields }),
      Schema.Struct({ ...row, ...Erc721Transfer.fields }),
      Schema.Struct({ ...row, ...Erc1155Transfer.fields }),
    ]),
  },
  swap: { description: "A row of the list of swaps", schema: Schema.Struct({ ...row, ...Erc20Swap.fields }) },
  token: {
    description: "A contract is seen first, ahead of its first row",
    schema: Schema.Union([
      Schema.Struct({ ...row, ...Erc20Token.fields }),
      Schema.Struct({ ...row, ...NftContract.fields }),
    ]),
  },
  retract: {
    description:
      "The row with this id was given to this consumer, and a reorg took it back. Beside these: what its log said",
    schema: Schema.Struct({ ...place, retracts: Schema.Literals(eventKinds), chainId: ChainId }),
  },
  finalized: {
    description: "Rows of blocks up to this one are never retracted",
    schema: Schema.Struct({ chainId: ChainId, block: Schema.Finite, hash: Schema.optionalKey(Schema.String) }),
  },
  heartbeat: {
    description:
      "All was told up to this block, which is the ledger's newest: every 15 seconds, and at the beginning. Of a stream that has more to tell of the past it is the block that the stream is at, without hash and time, and `lagBlocks` is never 0. With `delivery=finalized` it is the newest final block, without time, and `lagBlocks` is 0 where all final rows were told",
    schema: Schema.Struct({
      chainId: ChainId,
      block: Schema.Finite,
      hash: Schema.optionalKey(Schema.String),
      timestamp: Schema.optionalKey(DateTimeString),
      finalizedBlock: Schema.Finite,
      lagBlocks: Schema.Finite,
    }),
  },
  gone: {
    description: "The position cannot be gone on from any more. The stream ends",
    schema: Schema.Struct({ chainId: ChainId, message: Schema.String, after: position }),
  },
}

const summary = "Rows as they come and go, as server-sent events"
const faults = ["ChainNotSupported", "InvalidParameter", "EventsGone"] as const
const query = docsOf(eventParameters)
const body = Schema.String.annotate({
  description:
    "Server-sent events: `id` is the position to come back with, `event` the kind, `data` JSON by `x-events`",
})

export const eventsDoc: EndpointDoc = {
  tag: "Events",
  summary,
  query,
  body,
  faults,
  methods: {
    get: {
      operationId: "events",
      summary,
      description:
        "The stream has no end. Who comes back sends the `id` of the last event it had, in `after` or in the header `Last-Event-ID`, and hears what it missed, from any position on: nothing is lost, nothing comes twice, and what a reorg took back is said. The headers speak of the moment when the stream began.",
      query,
      body,
      media: "text/event-stream",
      parts,
      faults,
    },
  },
}

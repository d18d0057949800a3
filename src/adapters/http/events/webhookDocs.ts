/** What the documentation says of webhooks: each call, what it is sent and what it answers. */
import { Schema } from "effect"
import { eventKinds } from "../../../model/events/event.ts"
import { Address, ChainId, DateTimeString } from "../../../model/primitives.ts"
import { standards } from "../../../model/token.ts"
import type { MethodDoc } from "../contract/documentation.ts"
import type { FaultKind } from "../contract/faults.ts"
import { deliveries } from "./parameters.ts"

/** One value or more: an empty list is refused. */
const some = <Value extends Schema.Top>(value: Value) =>
  Schema.optionalKey(Schema.Array(value).check(Schema.isMinLength(1)))
const addresses = (description: string) => some(Address).annotateKey({ description })

const Filter = Schema.Struct({
  kinds: some(Schema.Literals(eventKinds)).annotateKey({ description: "Absent = all" }),
  standard: some(Schema.Literals(standards)).annotateKey({
    description: "Swaps are of `erc20`",
  }),
  tokenAddress: addresses("The contract; of a swap what was paid or what was got"),
  address: addresses("Who sends or receives; only transfers have parties"),
  from: addresses("Who sends"),
  to: addresses("Who receives"),
}).annotate({ identifier: "WebhookFilter" })

const Delivery = Schema.Literals(deliveries).annotate({ description: "`finalized`: rows of final blocks alone" })

const asked = {
  url: Schema.String.annotateKey({ description: "Where batches are sent by POST; private addresses are refused" }),
  filter: Schema.optionalKey(Filter).annotateKey({ description: "Which events; absent = all" }),
  secret: Schema.optionalKey(Schema.String).annotateKey({
    description: "`whsec_` and the base64 of 24 to 64 bytes, by which batches are signed; absent = one is made",
  }),
}

const NewWebhook = Schema.Struct({
  ...asked,
  delivery: Schema.optionalKey(Delivery),
  after: Schema.optionalKey(Schema.String).annotateKey({
    description: "The id of an event of these chains, or `beginning`; absent = from now on",
  }),
  chainIds: some(ChainId).annotateKey({ description: "Absent = every chain" }),
}).annotate({ identifier: "NewWebhook" })

const State = Schema.Literals(["active", "paused"])

const WebhookChange = Schema.Struct({
  ...asked,
  url: Schema.optionalKey(asked.url),
  state: Schema.optionalKey(State),
}).annotate({ identifier: "WebhookChange" })

const fields = {
  id: Schema.String,
  url: Schema.String,
  chainIds: Schema.Array(ChainId),
  filter: Filter,
  delivery: Delivery,
  state: State.annotate({ description: "`paused`: nothing is sent until a replay, or `state: active`, wakes it" }),
  problem: Schema.optionalKey(Schema.String).annotateKey({
    description: "Why it is paused, or what its last failure was; absent = there is none",
  }),
  createdAt: DateTimeString,
  sequence: Schema.Finite.annotate({
    description: "Of the newest batch that was taken: from 1 on without a gap; 0 = none",
  }),
  after: Schema.String.annotateKey({ description: "The id behind which it stands; empty = the beginning" }),
  attempts: Schema.Finite.annotate({ description: "Of the batch on its way, that failed" }),
  failingSince: Schema.optionalKey(DateTimeString).annotateKey({ description: "Absent = it does not fail" }),
  nextTryAt: Schema.optionalKey(DateTimeString).annotateKey({ description: "When the batch is sent again" }),
}
const Webhook = Schema.Struct(fields).annotate({ identifier: "Webhook" })
const WebhookWithSecret = Schema.Struct({
  ...fields,
  secret: Schema.optionalKey(Schema.String).annotateKey({
    description: "Shown where it was made or changed, and never again",
  }),
}).annotate({ identifier: "WebhookWithSecret" })
const Webhooks = Schema.Struct({ items: Schema.Array(Webhook) }).annotate({ identifier: "Webhooks" })

const unknown: ReadonlyArray<FaultKind> = ["UnknownPath"]
const key = "With a key of `WEBHOOK_KEYS_SHA256`, or of `API_KEYS_FILE` with the word `webhooks`; any other is a 401."

/** By path, then by method. */
export const webhookDocs = {
  all: {
    get: {
      operationId: "webhooks",
      summary: "How far each webhook is",
      description: key,
      body: Webhooks,
      faults: [],
    },
    post: {
      operationId: "createWebhook",
      summary: "Events are sent to a URL from now on, or from any position on",
      description: `${key} What is sent, how it is signed and how it is tried again stands in docs/events.md.`,
      request: NewWebhook,
      status: 201,
      body: WebhookWithSecret,
      faults: ["InvalidParameter", "EventsGone", "ChainSyncing"],
    },
  },
  one: {
    get: { operationId: "webhook", summary: "How far a webhook is", description: key, body: Webhook, faults: unknown },
    patch: {
      operationId: "changeWebhook",
      summary: "Another URL, filter or secret; pauses it, or wakes it",
      description: `${key} A filter that leaves out what the former one let through is refused while rows that were told may still be taken back: their \`retract\` would not pass it.`,
      request: WebhookChange,
      body: WebhookWithSecret,
      faults: [...unknown, "InvalidParameter"],
    },
    delete: {
      operationId: "removeWebhook",
      summary: "No more is sent",
      description: `${key} The answer is the webhook as it was.`,
      body: Webhook,
      faults: unknown,
    },
  },
  replay: {
    post: {
      operationId: "replayWebhook",
      summary: "Events are sent again from a position on",
      description: `${key} A batch that was not taken is given up, and a webhook that was paused wakes.`,
      query: {
        after: {
          description: "The id of an event, or `beginning`",
          schema: { type: "string" },
          example: "beginning",
          required: true,
        },
      },
      body: Webhook,
      faults: [...unknown, "InvalidParameter", "EventsGone"],
    },
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, MethodDoc>>>>

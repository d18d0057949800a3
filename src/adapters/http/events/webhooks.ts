/** `/v2/webhooks`: who is told of events by requests; for callers with a key that may manage them. */
import { Clock, Effect, Schema } from "effect"
import { isWider } from "../../../model/events/filter.ts"
import { positionsOf, positionsText } from "../../../model/events/position.ts"
import { joinAwaited, type Webhook, type WebhookPatch } from "../../../model/events/webhook.ts"
import { Networks } from "../../../ports/Networks.ts"
import { WebhookSender } from "../../../ports/WebhookSender.ts"
import { WebhookStore } from "../../../ports/WebhookStore.ts"
import type { Answer, Call } from "../contract/call.ts"
import type { EndpointDoc } from "../contract/documentation.ts"
import type { Endpoint } from "../contract/endpoint.ts"
import { RateLimited, Unauthorized, UnknownPath } from "../contract/faults.ts"
import { firstValue } from "../contract/query.ts"
import { invalidParameter } from "../contract/statuses.ts"
import { bodyOf, secretOf, textOf, urlOf, wishOf } from "./webhookBody.ts"
import { webhookDocs } from "./webhookDocs.ts"
import { startFrom } from "./webhookStart.ts"

const mostWebhooks = 1000

const reply = (body: unknown, status = 200): Answer => ({ asOf: [], body, status, fleeting: true })

const shown = (webhook: Omit<Webhook, "batch">) => ({
  id: webhook.id,
  url: webhook.url,
  chainIds: webhook.chains,
  filter: webhook.filter,
  delivery: webhook.onlyFinal ? "finalized" : "instant",
  state: webhook.state,
  ...(webhook.problem === undefined ? {} : { problem: webhook.problem }),
  createdAt: new Date(webhook.createdAt).toISOString(),
  sequence: webhook.sequence,
  after: webhook.positions,
  attempts: webhook.attempts,
  ...(webhook.failingSince === undefined ? {} : { failingSince: new Date(webhook.failingSince).toISOString() }),
  ...(webhook.nextTryAt === undefined ? {} : { nextTryAt: new Date(webhook.nextTryAt).toISOString() }),
})

const mayManage = ({ mayManage: may }: Call) =>
  may()
    ? Effect.void
    : Effect.fail(
        new Unauthorized({
          message: "apikey: expected a key that may manage webhooks, by WEBHOOK_KEYS_SHA256 or API_KEYS_FILE",
        }),
      )

const find = Effect.fnUntraced(function* (call: Call) {
  const id = call.param("id")
  // Not every store can be asked for any text.
  const isId = (yield* WebhookSender).isId(id)
  const webhook = isId ? yield* WebhookStore.use((store) => store.find(id)) : undefined
  if (webhook === undefined)
    return yield* new UnknownPath({ message: `id: expected the id of a webhook, got ${id.slice(0, 64)}` })
  return webhook
})

/** What is no id may be anything that JSON can say; undefined = none was given. */
const shownId = (id: unknown): string => (typeof id === "string" ? id : id === undefined ? "[]" : JSON.stringify(id))

const create = Effect.fnUntraced(function* (call: Call) {
  const fields = yield* bodyOf(call.body, ["url", "filter", "delivery", "secret", "after", "chainIds"])
  const url = yield* urlOf(fields)
  const { filter, onlyFinal } = yield* wishOf(fields)
  const followed = (yield* Networks).chains.map(({ chainId }) => chainId)
  const { chainIds } = fields
  const wanted = chainIds === undefined ? followed : Array.isArray(chainIds) ? chainIds : [chainIds]
  const strange = wanted.find((id) => !followed.some((chainId) => chainId === id))
  if (strange !== undefined || wanted.length === 0)
    return yield* invalidParameter("chainIds", shownId(strange), `ids of chains of ${followed.join(", ")}`)
  const chains = followed.filter((chainId) => wanted.includes(chainId))
  const sender = yield* WebhookSender
  const secret = (yield* secretOf(fields)) ?? sender.newSecret()
  const { positions, awaited } = yield* startFrom(yield* textOf(fields, "after"), chains, onlyFinal)
  const store = yield* WebhookStore
  const { active, failing, paused } = yield* store.tally
  if (active + failing + paused >= mostWebhooks)
    return yield* new RateLimited({
      message: `there are ${mostWebhooks} webhooks already: remove some`,
      retryAfter: 60,
    })
  const id = sender.newId()
  const createdAt = yield* Clock.currentTimeMillis
  yield* store.create({ id, url, secret, chains, filter, onlyFinal, createdAt, positions, awaited })
  const webhook = yield* find({ ...call, param: () => id })
  return reply({ ...shown(webhook), secret }, 201)
})

const change = Effect.fnUntraced(function* (call: Call) {
  const { id } = yield* find(call)
  const fields = yield* bodyOf(call.body, ["url", "filter", "secret", "state"])
  const secret = yield* secretOf(fields)
  const state = yield* textOf(fields, "state")
  if (state !== undefined && state !== "active" && state !== "paused")
    return yield* invalidParameter("state", state, "active or paused")
  const filter = fields.filter === undefined ? undefined : (yield* wishOf(fields)).filter
  const patch: WebhookPatch = {
    ...(fields.url === undefined ? {} : { url: yield* urlOf(fields) }),
    ...(filter && { filter }),
    ...(secret === undefined ? {} : { secret }),
    ...(state === undefined ? {} : { state }),
  }
  const store = yield* WebhookStore
  for (;;) {
    const webhook = yield* find(call)
    if (filter !== undefined && !isWider(filter, webhook.filter) && mayBeTakenBack(webhook))
      return yield* invalidParameter("filter", "another one", narrowed(webhook.positions))
    // At this very moment somebody may set another filter, or rows may be sent by this one: then it is looked anew.
    const seen = filter && webhook
    if ((yield* store.change(id, patch, seen)) || seen === undefined) break
  }
  return reply({ ...shown(yield* find(call)), ...(secret && { secret }) })
})

/** Whether rows were told, or are on their way, that a reorg may still take back. */
const mayBeTakenBack = ({ onlyFinal, awaited, batch }: Webhook): boolean =>
  !onlyFinal && [awaited, batch?.awaited ?? {}].some((blocks) => Object.keys(blocks).length > 0)

const narrowed = (after: string): string =>
  `a filter that lets all through that this one does, while rows that were told may be taken back: make a second webhook with after=${after === "" ? "beginning" : after}, and remove this one when it has told that those rows are final`

const remove = Effect.fnUntraced(function* (call: Call) {
  const webhook = yield* find(call)
  yield* WebhookStore.use((store) => store.remove(webhook.id))
  return reply(shown(webhook))
})

const replay = Effect.fnUntraced(function* (call: Call) {
  const { id, chains, onlyFinal } = yield* find(call)
  const after = firstValue(call.query, "after")
  if (after === undefined || after === "")
    return yield* invalidParameter("after", "", "the id of an event of these chains, or beginning")
  const start = yield* startFrom(after, chains, onlyFinal)
  const store = yield* WebhookStore
  for (;;) {
    const webhook = yield* find(call)
    // Chains that it does not speak of go on where they are.
    const merged = new Map([...(positionsOf(webhook.positions) ?? []), ...(positionsOf(start.positions) ?? [])])
    const positions = after === "beginning" ? "" : positionsText(merged.values())
    // A batch that is given up may have been taken.
    const awaited = joinAwaited([webhook.awaited, webhook.batch?.awaited ?? {}, start.awaited])
    // At this very moment another one may be on its way.
    if (yield* store.change(id, { positions, awaited, state: "active" }, webhook)) break
  }
  return reply(shown(yield* find(call)))
})

const rowOf = (
  id: string,
  path: string,
  methods: NonNullable<EndpointDoc["methods"]>,
  answer: Endpoint["answer"],
): Endpoint => ({
  id,
  path,
  style: "native",
  about: { kind: "service" },
  methods: [...Object.keys(methods).map((method) => method.toUpperCase()), "OPTIONS"],
  doc: {
    tag: "Events",
    summary: "Webhooks",
    query: Object.assign({}, ...Object.values(methods).map(({ query }) => query)),
    body: Schema.Unknown,
    faults: [],
    methods,
  },
  answer: (call) =>
    Effect.andThen(
      mayManage(call),
      Effect.suspend(() => answer(call)),
    ),
})

const list = Effect.gen(function* () {
  const webhooks = yield* WebhookStore.use((store) => store.list)
  return reply({ items: webhooks.map(shown) })
})

export const webhooks: ReadonlyArray<Endpoint> = [
  rowOf("webhooks", "/v2/webhooks", webhookDocs.all, (call) => (call.method === "POST" ? create(call) : list)),
  rowOf("webhook", "/v2/webhooks/{id}", webhookDocs.one, (call) => {
    if (call.method === "PATCH") return change(call)
    return call.method === "DELETE" ? remove(call) : Effect.map(find(call), (webhook) => reply(shown(webhook)))
  }),
  rowOf("webhook-replay", "/v2/webhooks/{id}/replay", webhookDocs.replay, replay),
]

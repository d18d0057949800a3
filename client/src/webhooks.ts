/** Webhooks: who is told of events by requests. For keys that may manage them. */
import { CowryError, refusalOf } from "./error.ts"
import type { components } from "./generated/schema.ts"
import type { Fetch } from "./patience.ts"
import type { CallOptions } from "./shapes.ts"

type Schemas = components["schemas"]

/** How far one is. */
export type Webhook = Schemas["Webhook"]
/** What one is made of. */
export type NewWebhook = Schemas["NewWebhook"]
/** What may be another later. */
export type WebhookChange = Schemas["WebhookChange"]
/** As it is told where it was changed: a secret that is another is shown then, and never again. */
export type WebhookWithSecret = Schemas["WebhookWithSecret"]
/** As it is told where it was made: its secret is shown this once. */
export type CreatedWebhook = Webhook & { readonly secret: string }

type Options = Pick<CallOptions, "signal">

/** Each fails with a `CowryError`: `UNAUTHORIZED` where the key may not, `NOT_FOUND` where there is no such webhook. */
export interface Webhooks {
  /** Events are sent to a URL from now on, or from any position on. */
  create(webhook: NewWebhook, options?: Options): Promise<CreatedWebhook>
  list(options?: Options): Promise<ReadonlyArray<Webhook>>
  get(id: string, options?: Options): Promise<Webhook>
  change(id: string, change: WebhookChange, options?: Options): Promise<WebhookWithSecret>
  /** No more is sent. Gives the webhook as it was. */
  remove(id: string, options?: Options): Promise<Webhook>
  /** Events are sent again from a position on, or from the `beginning`. A webhook that was paused wakes. */
  replay(id: string, after: string, options?: Options): Promise<Webhook>
}

export interface WebhookSettings {
  readonly baseUrl: string
  readonly headers: Readonly<Record<string, string>>
  readonly fetch: Fetch
}

/** None is asked again by itself: whether a change was made before its answer was lost, only its maker can judge. */
export const webhooksOf = ({ baseUrl, headers, fetch }: WebhookSettings): Webhooks => {
  const ask = async (method: string, path: string, { signal }: Options = {}, sent?: object): Promise<unknown> => {
    const url = `${baseUrl}/v2/webhooks${path}`
    const request = new Request(url, {
      method,
      headers: { ...headers, accept: "application/json", ...(sent && { "content-type": "application/json" }) },
      ...(sent === undefined ? {} : { body: JSON.stringify(sent) }),
      ...(signal === undefined ? {} : { signal }),
    })
    const unreachable = (cause: unknown): never => {
      if (signal?.aborted === true) throw cause
      throw new CowryError(`no answer of ${url}`, { code: "UNREACHABLE", url, cause })
    }
    const response = await fetch(request).catch(unreachable)
    const text = await response.text().catch(unreachable)
    if (!response.ok) throw refusalOf(response, text, url)
    try {
      return JSON.parse(text)
    } catch {
      throw refusalOf(response, text, url)
    }
  }
  const pathOf = (id: string): string => {
    if (typeof id !== "string" || id === "") throw new TypeError("id: expected the id of a webhook")
    return `/${encodeURIComponent(id)}`
  }
  return {
    create: async (webhook, options) => (await ask("POST", "", options, webhook)) as CreatedWebhook,
    list: async (options) => ((await ask("GET", "", options)) as Schemas["Webhooks"]).items,
    get: async (id, options) => (await ask("GET", pathOf(id), options)) as Webhook,
    change: async (id, change, options) => (await ask("PATCH", pathOf(id), options, change)) as WebhookWithSecret,
    remove: async (id, options) => (await ask("DELETE", pathOf(id), options)) as Webhook,
    replay: async (id, after, options) =>
      (await ask("POST", `${pathOf(id)}/replay?after=${encodeURIComponent(after)}`, options)) as Webhook,
  }
}

/** Whether a key is one of the configured ones. */
import { Context } from "effect"

export class ApiKeys extends Context.Service<
  ApiKeys,
  {
    /** In strict mode a caller without a configured key is refused. */
    readonly strict: boolean
    /** An opaque name of the configured key (never the key), undefined for any other text. How long it takes tells nothing of a key. */
    identify(key: string): string | undefined
    /** Whether it may manage webhooks. How long it takes tells nothing of a key. */
    mayManage(key: string): boolean
  }
>()("cowry/ApiKeys") {}

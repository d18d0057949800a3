/** Sends batches to the URLs of webhooks, signed as Standard Webhooks say. */
import { Context, type Effect, Schema } from "effect"

/** Why a batch was not taken, in words that hold nothing of the receiver's answer but its status. */
export class WebhookFailed extends Schema.TaggedError<WebhookFailed>()("WebhookFailed", { message: Schema.String }) {}

export class WebhookSender extends Context.Service<
  WebhookSender,
  {
    /** Why requests to such a URL are refused; undefined = they are not, as far as the text tells. */
    refusal(url: string): string | undefined
    /** `whsec_` and base64 of 24 to 64 bytes; undefined = it is none. */
    isSecret(secret: string): boolean
    readonly newSecret: () => string
    /** 32 hex digits of what a text says. */
    readonly digest: (text: string) => string
    readonly newId: () => string
    /** Whether `newId` may have made it. */
    isId(text: string): boolean
    /** Done when the receiver answered with a status of 200 to 299. */
    send(request: {
      readonly url: string
      readonly secret: string
      readonly id: string
      readonly body: string
    }): Effect.Effect<void, WebhookFailed>
  }
>()("cowry/WebhookSender") {}

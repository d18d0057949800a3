/** The WebhookSender port over HTTP: a name is resolved once, the address checked, and that very address connected to. No redirect is followed. */
import { createHash, createHmac, randomBytes } from "node:crypto"
import { lookup } from "node:dns/promises"
import { request as httpRequest } from "node:http"
import { request as httpsRequest } from "node:https"
import { isIP, type LookupFunction } from "node:net"
import { Effect, Layer } from "effect"
import { WebhookFailed, WebhookSender } from "../../ports/WebhookSender.ts"
import { isClosed } from "./addresses.ts"

export interface WebhookBounds {
  /** Whether addresses of the own net may be asked. */
  readonly allowPrivate: boolean
  /** Of one request, its name's resolution included. Default 15,000. */
  readonly timeoutMs?: number
  /** How names are resolved; default: as the system does. */
  readonly resolve?: (name: string) => Promise<ReadonlyArray<{ readonly address: string; readonly family: number }>>
}

const prefix = "whsec_"
/** Answers of 1xx before the one that counts. */
const mostAnnounced = 10
const privateWords = "leads to a private or local address: WEBHOOK_ALLOW_PRIVATE=on allows those"

export const layer = ({ allowPrivate, timeoutMs = 15_000, resolve = resolveAll }: WebhookBounds) =>
  Layer.succeed(WebhookSender, {
    refusal: (url) => {
      // Not every store can keep a NUL.
      if (url.length > 2048 || url.includes("\0") || !URL.canParse(url)) return "it is no URL"
      const { protocol, username, password, hostname, port } = new URL(url)
      if (protocol !== "https:" && protocol !== "http:") return "it does not begin with https:// or http://"
      if (username !== "" || password !== "") return "it holds a password"
      if (port === "0") return "nothing can listen on port 0"
      const host = bareHost(hostname)
      if (!allowPrivate && isIP(host) !== 0 && isClosed(host)) return `it ${privateWords}`
      return undefined
    },
    isSecret: (secret) => keyOf(secret) !== undefined,
    newSecret: () => prefix + randomBytes(32).toString("base64"),
    newId: () => `wh_${randomBytes(12).toString("hex")}`,
    isId: (text) => /^wh_[0-9a-f]{24}$/u.test(text),
    digest: (text) => createHash("sha256").update(text).digest("hex").slice(0, 32),
    send: ({ url, secret, id, body }) => {
      const timestamp = `${Math.floor(Date.now() / 1000)}`
      const headers = {
        "content-type": "application/json",
        "content-length": `${Buffer.byteLength(body)}`,
        "user-agent": "cowry",
        "webhook-id": id,
        "webhook-timestamp": timestamp,
        "webhook-signature": `v1,${createHmac("sha256", keyOf(secret) ?? "")
          .update(`${id}.${timestamp}.${body}`)
          .digest("base64")}`,
      }
      const pinned = async () => {
        const { hostname } = new URL(url)
        const host = bareHost(hostname)
        const found = isIP(host) === 0 ? await resolve(host) : [{ address: host, family: isIP(host) }]
        const open = allowPrivate ? found : found.filter(({ address }) => !isClosed(address))
        if (open.length < found.length || open[0] === undefined) {
          throw new WebhookFailed({
            message: found.length === 0 ? "its name has no address" : `its name ${privateWords}`,
          })
        }
        return open[0]
      }
      return Effect.tryPromise({
        try: (interrupted) => {
          const late = AbortSignal.timeout(timeoutMs)
          const signal = AbortSignal.any([late, interrupted])
          const gone = new Promise<never>((_, reject) => {
            signal.addEventListener("abort", () =>
              reject(new WebhookFailed({ message: `it gives no answer within ${timeoutMs / 1000} s` })),
            )
          })
          return Promise.race([gone, pinned().then((address) => post(url, headers, body, address, signal))])
        },
        catch: (cause) =>
          cause instanceof WebhookFailed
            ? cause
            : new WebhookFailed({ message: `it cannot be reached${codeOf(cause)}` }),
      })
    },
  })

const resolveAll = (name: string) => lookup(name, { all: true })

const bareHost = (hostname: string): string => hostname.replace(/^\[|\]$/gu, "")

const codeOf = (cause: unknown): string => {
  const code = String(Object(cause).code ?? "")
  return /^\w{1,40}$/u.test(code) ? ` (${code})` : ""
}

/** The key's bytes. */
const keyOf = (secret: string): Buffer | undefined => {
  if (!secret.startsWith(prefix)) return undefined
  const text = secret.slice(prefix.length)
  const key = Buffer.from(text, "base64")
  return key.length >= 24 && key.length <= 64 && key.toString("base64") === text ? key : undefined
}

const post = (
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  { address, family }: { readonly address: string; readonly family: number },
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    // Whatever the name leads to by now: it was looked up once.
    const answer = ((_name: string, options: { readonly all?: boolean }, done: (...words: Array<unknown>) => void) =>
      options.all === true
        ? done(null, [{ address, family }])
        : done(null, address, family)) as unknown as LookupFunction
    const target = new URL(url)
    const send = target.protocol === "https:" ? httpsRequest : httpRequest
    const request = send(target, { method: "POST", headers, lookup: answer, agent: false, signal }, (response) => {
      const { statusCode = 0 } = response
      // What it says beside the status is nobody's concern, however long it is.
      response.on("error", () => {})
      response.destroy()
      request.destroy()
      if (statusCode >= 200 && statusCode < 300) resolve()
      else reject(new WebhookFailed({ message: `it answers with HTTP ${statusCode}` }))
    })
    const giveUp = (problem: string) => {
      reject(new WebhookFailed({ message: problem }))
      request.destroy()
    }
    // A receiver that announces its answer without end would keep this process at reading that.
    let announced = 0
    request.on("information", ({ statusCode }) => {
      if (++announced > mostAnnounced) giveUp(`it says HTTP ${statusCode} again and again, and does not answer`)
    })
    request.on("upgrade", ({ statusCode }, socket) => {
      socket.destroy()
      giveUp(`it answers with HTTP ${statusCode}`)
    })
    request.on("error", reject)
    request.end(body)
  })

/** Asks the documented service what the documentation shows of the stream of events and of webhooks. */

import { sampleHolder } from "../../../src/adapters/http/contract/samples.ts"
import { makeEvents } from "../../../src/adapters/http/events/events.ts"
import type { Examples, Exchange } from "../../../src/adapters/http/openapi/examples.ts"
import { type Json, sha256, type TestService } from "../support.ts"
import { startDocumented } from "./documentedWorld.ts"

/** Their rows of the endpoint table. */
export const eventEndpoints = makeEvents({}).endpoints

const key = "the-manager"
const streamPath = "/v2/network/mainnet/evm/43114/events"
const sampleId = "wh_769a46a91051f41876a836b9"

/** What the clock, chance or the store says is written as it was once. */
const settled = (text: string, id = sampleId): string =>
  text
    .replaceAll(id, sampleId)
    .replaceAll(/43114\.(?!ffffff)[0-9a-f]{6}\.[0-9a-f]{6}\./g, "43114.7a3f10.c0ffee.")
    .replaceAll(/"createdAt":"20(?!26-01-01)[^"]+"/g, '"createdAt":"2026-01-01T00:01:00.000Z"')

/** The frames of a stream until there are enough. */
export const framesOf = async (
  service: TestService,
  request: string,
  enough: (text: string) => boolean,
): Promise<string> => {
  const over = new AbortController()
  const response = await service.fetch(request, { signal: over.signal })
  const reader = response.body!.getReader()
  const decoder = new TextDecoder()
  let text = ""
  while (!enough(text)) {
    const { value, done } = await reader.read()
    if (done) break
    text += decoder.decode(value, { stream: true })
  }
  await reader.cancel()
  over.abort()
  return text
}

export const recordMethods = async (): Promise<Examples["methods"]> => {
  const service = await startDocumented({ managersSha256: [sha256(key)] })
  let id = sampleId
  const ask = async (method: string, path: string, sent?: unknown, withKey = key) => {
    const isText = typeof sent === "string"
    const response = await service.fetch(path.replace(sampleId, id), {
      method,
      headers: { apikey: withKey },
      ...(sent === undefined ? {} : { body: isText ? sent : JSON.stringify(sent) }),
    })
    const text = await response.text()
    if (response.status === 201) id = (JSON.parse(text) as Json).id
    const exchange: Exchange = {
      request: path,
      ...(method === "GET" ? {} : { method }),
      status: response.status,
      body: JSON.parse(settled(text, id)) as unknown,
    }
    return sent === undefined || isText ? exchange : { ...exchange, sent }
  }
  const refused = async (...asked: ReadonlyArray<readonly [name: string, exchange: Promise<Exchange>]>) =>
    Object.fromEntries(
      await Promise.all(
        asked.map(async ([name, exchange]) => {
          const { sent: _, ...rest } = (await exchange) as Exchange & { sent?: unknown }
          return [`${(rest.body as Json).code} ${name}`, rest]
        }),
      ),
    )
  try {
    const all = "/v2/webhooks"
    const one = `${all}/${sampleId}`
    const none = `${all}/wh_none`
    const gone = "43114.ffffff.c0ffee.1.0.1.1.0.0."
    const request = `${streamPath}?kinds=transfer&address=${sampleHolder}&after=beginning`
    const frames = settled(await framesOf(service, request, (text) => text.split("\n\n").length > 3))
      .split("\n\n")
      .slice(0, 3)
    const stream = { request, status: 200, body: `${frames.join("\n\n")}\n\n` }
    const bad = (path: string) => ask("GET", path)
    const made = {
      url: "https://example.com/hook",
      chainIds: ["43114"],
      filter: { kinds: ["transfer"], address: [sampleHolder] },
      delivery: "instant",
      secret: "whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIz",
    }
    const stranger = (method: string, path: string, sent?: unknown) => ask(method, path, sent, "another")
    const notThere = (method: string, path = none, sent?: unknown) => ask(method, path, sent)
    const create = await ask("POST", all, made)
    const methods: Examples["methods"] = {
      events: {
        answer: stream,
        refusals: await refused(
          ["chain", bad(streamPath.replace("43114", "999"))],
          ...["kinds=mint", "standard=erc404", "tokenAddress=0x12", "address=0x12", "from=0x12", "to=0x12"].map(
            (query) => [query.split("=")[0]!, bad(`${streamPath}?${query}`)] as const,
          ),
          ["delivery", bad(`${streamPath}?delivery=soon`)],
          ["after", bad(`${streamPath}?after=x`)],
          ["of another ledger", bad(`${streamPath}?after=${gone}`)],
        ),
      },
      createWebhook: {
        answer: create,
        refusals: await refused(
          ["key", stranger("POST", all, made)],
          ["url", ask("POST", all, { url: "nowhere" })],
          ["secret", ask("POST", all, { ...made, secret: "whsec_AAAA" })],
          ["chainIds", ask("POST", all, { ...made, chainIds: ["7"] })],
          ["body", ask("POST", all, "no JSON")],
          ["filter", ask("POST", all, { ...made, filter: { kinds: ["mint"] } })],
          ["of another ledger", ask("POST", all, { ...made, after: gone })],
        ),
      },
      webhooks: { answer: await ask("GET", all), refusals: await refused(["key", stranger("GET", all)]) },
      webhook: {
        answer: await ask("GET", one),
        refusals: await refused(["key", stranger("GET", one)], ["id", notThere("GET")]),
      },
      changeWebhook: {
        answer: await ask("PATCH", one, { state: "paused" }),
        refusals: await refused(
          ["key", stranger("PATCH", one, {})],
          ["id", notThere("PATCH", none, {})],
          ["state", ask("PATCH", one, { state: "asleep" })],
        ),
      },
      replayWebhook: {
        answer: await ask("POST", `${one}/replay?after=beginning`),
        refusals: await refused(
          ["key", stranger("POST", `${one}/replay?after=beginning`)],
          ["id", notThere("POST", `${none}/replay?after=beginning`)],
          ["after", ask("POST", `${one}/replay?after=x`)],
          ["of another ledger", ask("POST", `${one}/replay?after=${gone}`)],
        ),
      },
      removeWebhook: {
        answer: await ask("DELETE", one),
        refusals: await refused(["key", stranger("DELETE", one)], ["id", notThere("DELETE")]),
      },
    }
    return methods
  } finally {
    service.app.endStreams()
    await service.close()
  }
}

/** Settings of what is answered beyond the ledger, and to whom it is told: other services' questions, events, the page, tools. */
import type { Setting } from "./deriveFields.ts"
import { bareUrl, checksum, foreignKey, list, oneOf, switchValue, webOrigin, wholeNumber } from "./parseValues.ts"

export const outwardSettings = {
  ETHERSCAN_UPSTREAM_URL: {
    field: "upstreamUrl",
    parse: bareUrl,
    meaning: "a service of Etherscan's API, up to the `?`, for what Cowry does not hold; absent = that is refused",
  },
  ETHERSCAN_UPSTREAM_KEY: {
    field: "upstreamKey",
    parse: foreignKey,
    meaning: "its key; to a chain's own URL it goes where no URL for all is set, or on the same host",
  },
  ETHERSCAN_UPSTREAM_RATE: {
    field: "upstreamRate",
    parse: wholeNumber(1, 1000),
    default: "3",
    meaning: "questions that go to one upstream in a second",
  },
  PROXY_SEND: {
    parse: switchValue,
    default: "off",
    meaning: "on = signed transactions of callers go to the chain's own node (`eth_sendRawTransaction`)",
  },
  COMPAT_SHAPES: {
    parse: list(oneOf("alchemy", "sim", "goldrush")),
    default: "",
    meaning:
      "services whose paths for balances are answered here in their own shapes: alchemy, sim, goldrush; none = those paths are unknown",
  },
  EVENTS_DAYS: {
    parse: wholeNumber(1, 3650),
    default: "7",
    meaning: "days for which rows that a reorg took back are kept, for consumers of events that come back",
  },
  WEBHOOK_KEYS_SHA256: {
    parse: list(checksum),
    default: "",
    meaning:
      "SHA-256 of each API key that may manage webhooks, in hex; so may keys of API_KEYS_FILE with the word `webhooks`, and nobody else",
  },
  WEBHOOK_ALLOW_PRIVATE: {
    parse: switchValue,
    default: "off",
    meaning: "on = webhooks may lead to private and local addresses",
  },
  EVENT_STREAMS: {
    parse: wholeNumber(1, 1e6),
    default: "1000",
    meaning: "streams of events that a caller may have open at once",
  },
  EVENT_STREAMS_PER_SECOND: {
    parse: wholeNumber(1, 1e6),
    default: "50",
    meaning: "streams of events that a caller may begin a second, once it has begun EVENT_STREAMS of them",
  },
  UI: { parse: switchValue, default: "on", meaning: "off = no page at `/`" },
  MCP: { parse: switchValue, default: "on", meaning: "off = no tools for agents at `/mcp`" },
  MCP_ORIGINS: {
    parse: list(webOrigin),
    default: "",
    meaning:
      "web pages that may ask `/mcp`, by their origins (`https://app.example`), `*` = every one; those of this machine may always, and what is no web page",
  },
} as const satisfies Record<string, Setting>

/** What the services' own documentations say of an answer, as JSON Schema: what is required there, of which type, and null where their clients' types allow it. */
type Schema = Readonly<Record<string, unknown>>

const object = (required: Schema, optional: Schema = {}): Schema => ({
  type: "object",
  required: Object.keys(required),
  properties: { ...required, ...optional },
})
const array = (items: Schema): Schema => ({ type: "array", items })
const text: Schema = { type: "string" }
const number: Schema = { type: "number" }
const textOrNull: Schema = { type: ["string", "null"] }
const numberOrNull: Schema = { type: ["number", "null"] }

/** `TokensResponse` of Alchemy's portfolio.yaml; the native token "will have a null contract address". */
export const alchemyTokens = object({
  data: object(
    {
      tokens: array(
        object(
          {
            network: text,
            address: text,
            tokenAddress: textOrNull,
            tokenBalance: { type: "string", pattern: "^0x[0-9a-f]{64}$" },
          },
          {
            tokenMetadata: object(
              {},
              { decimals: numberOrNull, logo: textOrNull, name: textOrNull, symbol: textOrNull },
            ),
            tokenPrices: array(object({ currency: text, value: text, lastUpdatedAt: text })),
            error: textOrNull,
          },
        ),
      ),
    },
    { pageKey: text },
  ),
})

/** `BalancesResponse` of Sim's balances.json. */
export const simBalances = object(
  {
    wallet_address: text,
    balances: array(
      object(
        { chain: text, address: text, amount: text },
        {
          chain_id: { type: "integer" },
          decimals: { type: "integer" },
          name: text,
          symbol: text,
          price_usd: number,
          value_usd: number,
          historical_prices: array(object({ offset_hours: { type: "integer" }, price_usd: number })),
          token_metadata: object({}, { logo: text, url: text }),
        },
      ),
    ),
  },
  { next_offset: text, request_time: text, response_time: text },
)

const goldrush = (item: Schema): Schema =>
  object({
    data: object({
      address: text,
      updated_at: text,
      quote_currency: { const: "USD" },
      chain_id: { type: "integer" },
      chain_name: text,
      items: array(item),
    }),
    error: { const: false },
    error_message: { type: "null" },
    error_code: { type: "null" },
  })

/** `HistoricalBalancesResponse` of GoldRush's client, whose every field is nullable. */
export const goldrushBalances = goldrush(
  object({
    contract_decimals: numberOrNull,
    contract_name: textOrNull,
    contract_ticker_symbol: textOrNull,
    contract_address: text,
    supports_erc: { type: ["array", "null"] },
    logo_url: textOrNull,
    block_height: numberOrNull,
    last_transferred_block_height: numberOrNull,
    contract_display_name: textOrNull,
    last_transferred_at: textOrNull,
    native_token: { type: "boolean" },
    type: text,
    is_spam: { type: ["boolean", "null"] },
    balance: { type: "string", pattern: "^\\d+$" },
    quote_rate: numberOrNull,
    quote: numberOrNull,
    pretty_quote: textOrNull,
    protocol_metadata: { type: ["object", "null"] },
    nft_data: { type: ["array", "null"] },
  }),
)

const ohlc = object({ balance: { type: "string", pattern: "^\\d+$" }, quote: numberOrNull, pretty_quote: textOrNull })

/** `PortfolioResponse` of the same. */
export const goldrushPortfolio = goldrush(
  object({
    contract_address: text,
    contract_decimals: numberOrNull,
    contract_name: textOrNull,
    contract_ticker_symbol: textOrNull,
    logo_url: textOrNull,
    holdings: array(
      object({ quote_rate: numberOrNull, timestamp: text, close: ohlc, high: ohlc, low: ohlc, open: ohlc }),
    ),
  }),
)

/** The records of Dune Sim's balances. */
import { Schema } from "effect"

const Balance = Schema.Struct({
  chain: Schema.String,
  chain_id: Schema.Finite,
  address: Schema.String.annotateKey({ description: "`native` = what gas is paid in" }),
  amount: Schema.String.annotateKey({ description: "Raw subunits" }),
  symbol: Schema.optionalKey(Schema.String),
  name: Schema.optionalKey(Schema.String),
  decimals: Schema.optionalKey(Schema.Finite),
  price_usd: Schema.optionalKey(Schema.Finite).annotateKey({ description: "Absent = no price is known" }),
  value_usd: Schema.optionalKey(Schema.Finite),
  token_metadata: Schema.optionalKey(Schema.Struct({ logo: Schema.optionalKey(Schema.String) })),
  historical_prices: Schema.optionalKey(
    Schema.Array(Schema.Struct({ offset_hours: Schema.Finite, price_usd: Schema.Finite })),
  ),
})

export const SimBalances = Schema.Struct({
  wallet_address: Schema.String,
  balances: Schema.Array(Balance),
  errors: Schema.optionalKey(
    Schema.Struct({
      error_message: Schema.String,
      token_errors: Schema.Array(
        Schema.Struct({ chain_id: Schema.Finite, address: Schema.String, description: Schema.String }),
      ),
    }),
  ).annotateKey({ description: "Balances that the chain's node does not tell at the moment" }),
  warnings: Schema.optionalKey(
    Schema.Array(
      Schema.Struct({ code: Schema.String, message: Schema.String, chain_ids: Schema.Array(Schema.Finite) }),
    ),
  ).annotateKey({
    description: "Chains that are not followed here, and chains of which no token list says what is spam",
  }),
  next_offset: Schema.optionalKey(Schema.String),
  request_time: Schema.String,
  response_time: Schema.String,
}).annotate({ identifier: "SimBalances" })

export const SimError = Schema.Struct({
  error: Schema.optionalKey(Schema.String),
  message: Schema.optionalKey(Schema.String),
}).annotate({ identifier: "SimError" })

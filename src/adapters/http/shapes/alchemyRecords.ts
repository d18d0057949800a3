/** The records of Alchemy's `POST …/assets/tokens/by-address`. */
import { Schema } from "effect"

const flag = Schema.optionalKey(Schema.Boolean).annotateKey({ description: "Default true" })

export const AlchemyRequest = Schema.Struct({
  addresses: Schema.Array(Schema.Struct({ address: Schema.String, networks: Schema.Array(Schema.String) })),
  withMetadata: flag,
  withPrices: flag,
  includeNativeTokens: flag,
  includeErc20Tokens: flag,
  pageKey: Schema.optionalKey(Schema.NullOr(Schema.String)),
}).annotate({ identifier: "AlchemyTokensRequest" })

const Metadata = Schema.Struct({
  decimals: Schema.NullOr(Schema.Finite),
  logo: Schema.NullOr(Schema.String),
  name: Schema.NullOr(Schema.String),
  symbol: Schema.NullOr(Schema.String),
})
const Price = Schema.Struct({
  currency: Schema.Literals(["usd"]),
  value: Schema.String,
  lastUpdatedAt: Schema.String.annotateKey({ description: "Of the block that the answer speaks of" }),
})

export const AlchemyTokens = Schema.Struct({
  data: Schema.Struct({
    tokens: Schema.Array(
      Schema.Struct({
        address: Schema.String,
        network: Schema.String,
        tokenAddress: Schema.NullOr(Schema.String).annotateKey({ description: "null = the native currency" }),
        tokenBalance: Schema.NullOr(Schema.String).annotateKey({ description: "32 bytes in hex; null = see `error`" }),
        tokenMetadata: Schema.optionalKey(Metadata),
        tokenPrices: Schema.optionalKey(Schema.Array(Price)).annotateKey({ description: "Empty = no price is known" }),
        error: Schema.NullOr(Schema.String),
      }),
    ),
    pageKey: Schema.optionalKey(Schema.String),
  }),
}).annotate({ identifier: "AlchemyTokens" })

export const AlchemyError = Schema.Struct({ error: Schema.Struct({ message: Schema.String }) }).annotate({
  identifier: "AlchemyError",
})

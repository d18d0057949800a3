/** Every source that is not configured, in one layer over the store's freshness. */
import { Layer } from "effect"
import * as NoNativeSupply from "./NoNativeSupply.ts"
import * as NoSwaps from "./NoSwaps.ts"
import * as NoTrustedTokens from "./NoTrustedTokens.ts"

export const layer = Layer.mergeAll(NoSwaps.layer, NoTrustedTokens.layer, NoNativeSupply.layer)

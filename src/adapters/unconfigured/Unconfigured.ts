/** Every source that is not configured, in one layer. */
import * as NoNativeSupply from "./NoNativeSupply.ts"

export const layer = NoNativeSupply.layer

/** Whether a stablecoin is still one dollar. */
import { oneDollar, type Usd } from "../../model/price.ts"

/** A stablecoin may be off its dollar by a twentieth. */
const tolerance = oneDollar / 20n

export const isDollar = (price: Usd): boolean => price >= oneDollar - tolerance && price <= oneDollar + tolerance

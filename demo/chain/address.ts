/** Addresses as Cowry has them, which viem takes too. */
import { Address as LowerCase } from "../../src/model/primitives.ts"

export type Address = LowerCase & `0x${string}`

/** In lower case. Throws where the text is none. */
export const addressOf = (text: string): Address => LowerCase.make(text.toLowerCase()) as Address

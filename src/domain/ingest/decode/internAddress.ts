/** One string for one address: chains name the same ones again and again, and movements wait by the hundred thousand. */
import { type Address, addressOfHex } from "../../../model/primitives.ts"
import { PlaceCache } from "../../../model/time/placeCache.ts"

/** By digits in the middle, which nobody chooses: 65,536 of each, about 250 bytes an address, of all chains together. */
const named = new PlaceCache<Address>(20, 4, addressOfHex)
const inTopics = new PlaceCache<Address>(44, 4, (topic) => named.of(`0x${topic.slice(26)}`))

/** The address in a topic, whose first 12 bytes are zero. */
export const addressOfTopic = (topic: string): Address => inTopics.of(topic)

/** The same address, as the string that others share. */
export const shared = (address: Address): Address => named.of(address)

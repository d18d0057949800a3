/** One string for one address: chains name the same ones again and again, and movements wait by the hundred thousand. */
import { type Address, addressOfHex } from "../../../model/primitives.ts"
import { PlaceCache } from "../../../model/time/placeCache.ts"

/** By digits in the middle, which nobody chooses: 65,536 of each, about 250 bytes an address, of all chains together. */
const named = new PlaceCache<Address>(20, 4, addressOfHex)
const inTopics = new PlaceCache<Address | undefined>(44, 4, (topic) =>
  isAddressTopic(topic) ? named.of(`0x${topic.slice(26)}`) : undefined,
)

const addressPadding = `0x${"0".repeat(24)}`
/** An address in a topic is left-padded with 12 zero bytes; anything else there is no address. */
export const isAddressTopic = (topic: string): boolean => topic.length === 66 && topic.startsWith(addressPadding)

/** The address in a topic; undefined where it is none, or there is no topic. */
export const addressOfTopic = (topic: string | undefined): Address | undefined =>
  topic === undefined ? undefined : inTopics.of(topic)

/** The same address, as the string that others share. */
export const shared = (address: Address): Address => named.of(address)

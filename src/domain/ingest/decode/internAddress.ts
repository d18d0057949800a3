/** One string for one address: chains name the same ones again and again, and movements wait by the hundred thousand. */
import { type Address, addressOfHex } from "../../../model/primitives.ts"

/** Names kept, twice: those of late and those before. About 250 bytes each, of all chains together. */
const mostNames = 30_000
let late = new Map<string, Address>()
let before = new Map<string, Address>()

const remember = (text: string, address: Address): Address => {
  if (late.size >= mostNames) {
    before = late
    late = new Map()
  }
  late.set(text, address)
  return address
}

/** The address in a topic, whose first 12 bytes are zero. */
export const addressOfTopic = (topic: string): Address =>
  late.get(topic) ?? remember(topic, before.get(topic) ?? addressOfHex(`0x${topic.slice(26)}`))

/** The same address, as the string that others share. */
export const shared = (address: Address): Address =>
  late.get(address) ?? remember(address, before.get(address) ?? address)

/** Which addresses no webhook may lead to: loopback, link-local, private, metadata, and whatever is no host of the open net. */
import { BlockList, isIP, isIPv4 } from "node:net"

/** The one of 168.63 is a host of every machine at Azure, which tells of that machine. */
const ipv4Networks = [
  ["0.0.0.0", 8],
  ["10.0.0.0", 8],
  ["100.64.0.0", 10],
  ["127.0.0.0", 8],
  ["168.63.129.16", 32],
  ["169.254.0.0", 16],
  ["172.16.0.0", 12],
  ["192.0.0.0", 24],
  ["192.0.2.0", 24],
  ["192.88.99.0", 24],
  ["192.168.0.0", 16],
  ["198.18.0.0", 15],
  ["198.51.100.0", 24],
  ["203.0.113.0", 24],
  ["224.0.0.0", 4],
  ["240.0.0.0", 4],
] as const

/** Of version 6 the open net is 2000::/3, less what leads elsewhere: Teredo, documentation, 6to4. */
const closed4 = new BlockList()
for (const [network, bits] of ipv4Networks) closed4.addSubnet(network, bits, "ipv4")
const open6 = new BlockList()
open6.addSubnet("2000::", 3, "ipv6")
const closed6 = new BlockList()
for (const [network, bits] of [
  ["2001::", 23],
  ["2001:db8::", 32],
  ["2002::", 16],
  ["3fff::", 20],
] as const)
  closed6.addSubnet(network, bits, "ipv6")

/** What a resolver gives for an address of version 4 where a network has only 6 (RFC 6052). */
const translated = new BlockList()
translated.addSubnet("64:ff9b::", 96, "ipv6")

/** Of what is no address: yes. */
export const isClosed = (address: string): boolean => {
  const bare = address.replace(/%.*$/u, "")
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/iu.exec(bare)?.[1]
  if (mapped !== undefined) return isClosed(mapped)
  if (isIP(bare) === 0) return true
  if (isIPv4(bare)) return closed4.check(bare, "ipv4")
  if (translated.check(bare, "ipv6")) return isClosed(lastFour(bare))
  return !open6.check(bare, "ipv6") || closed6.check(bare, "ipv6")
}

/** The last 32 bits of an address of version 6, as one of version 4. */
const lastFour = (address: string): string => {
  const { hostname } = new URL(`http://[${address}]`)
  const groups = hostname.slice(1, -1).split(":").slice(-2)
  const [high = 0, low = 0] = groups.map((group) => Number.parseInt(group || "0", 16))
  return [high >> 8, high & 255, low >> 8, low & 255].join(".")
}

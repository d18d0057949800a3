/** Who is on the soak's chains, and what contracts say of themselves when a node calls them. */
import { address } from "../../support/chain/testChain.ts"

/** The random traffic of test/ingest/traffic.ts has its own: these are beside them. */
export const wrapped = address(0x7e)
export const manager = address(0x4a)
export const crowd = Array.from({ length: 60 }, (_, index) => address(2 ** 40 * (index + 1) + 0xc0))
export const coins = Array.from({ length: 9 }, (_, index) => address(0xc000 + index))
export const collections = Array.from({ length: 4 }, (_, index) => address(0xd000 + index))
export const goods = Array.from({ length: 3 }, (_, index) => address(0xe000 + index))
/** Stands for one US dollar: sent by who never had it, so that no supply is known. */
export const dollar = address(0xdd15)
/** Says whatever it is told, of every standard. */
export const parrot = address(0xfa11)

/** Contracts of one standard only, which the receipt of their first log's transaction names as made by it. */
export const plain: ReadonlySet<string> = new Set([
  ...coins,
  ...collections,
  ...goods,
  wrapped,
  dollar,
  ...[0x70, 0x71, 0x72, 0x76].map(address),
])

/** On the configured token list. */
export const trusted: ReadonlyArray<string> = [coins[0]!, coins[2]!, coins[5]!, wrapped]

/** Of the native currency: all there ever was, in whole units. */
export const nativeSupply = "123456789.5"

/** Of a pool's kind: which log it writes, and whether its factory knows it, denies it, or is not there. */
interface ScenePool {
  readonly kind: "v2" | "solidly" | "v3" | "pancake"
  readonly says: "truth" | "lie" | "no factory" | "nothing" | "one token" | "native"
  readonly token0: string
  readonly token1: string
}

const poolAt = (
  index: number,
  kind: ScenePool["kind"],
  says: ScenePool["says"],
  token0: string,
  token1: string,
): [string, ScenePool] => [address(0x5000 + index), { kind, says, token0, token1 }]

export const pools: ReadonlyMap<string, ScenePool> = new Map([
  poolAt(0, "v2", "truth", coins[0]!, coins[1]!),
  poolAt(1, "v3", "truth", coins[0]!, wrapped),
  poolAt(2, "solidly", "truth", coins[2]!, coins[3]!),
  poolAt(3, "pancake", "truth", coins[1]!, coins[4]!),
  poolAt(4, "v2", "lie", coins[0]!, coins[2]!),
  poolAt(5, "v3", "lie", coins[0]!, coins[3]!),
  poolAt(6, "v2", "no factory", coins[5]!, address(0xbeef)),
  poolAt(7, "v2", "nothing", coins[0]!, coins[1]!),
  poolAt(8, "v3", "one token", coins[0]!, coins[0]!),
  poolAt(9, "v2", "native", address(0), coins[0]!),
  // Of test/ingest/traffic.ts.
  [address(0x51), { kind: "v2", says: "truth", token0: address(0x71), token1: address(0x72) }],
  [address(0x52), { kind: "v2", says: "no factory", token0: address(0x71), token1: address(0x72) }],
])

const factories = { v2: address(0xfac2), solidly: address(0xfac5), v3: address(0xfac3), pancake: address(0xfac4) }

/** What the service must take a pool for; undefined = it is none. */
export const honestPool = (pool: string) => {
  const found = pools.get(pool)
  if (found === undefined || (found.says !== "truth" && found.says !== "no factory")) return undefined
  const { token0, token1, kind, says } = found
  return { tokens: [token0, token1] as const, factory: says === "truth" ? factories[kind] : undefined }
}

interface Saying {
  readonly name?: string
  readonly symbol?: string
  readonly decimals?: number
}

/** What is known of a contract once it was asked; absent = it says nothing that can be understood. */
export const sayingOf = (contract: string): Saying => {
  const number = Number(BigInt(contract) % 1_000_000n)
  const name = `Token ${number}`
  if (contract === wrapped) return { name: "Wrapped", symbol: "WRAP", decimals: 18 }
  switch (number % 9) {
    case 1:
      return { name: "Same name", symbol: "SAME", decimals: 6 }
    case 2:
      return { name, symbol: `T${number}` }
    case 3:
      return { symbol: "🐚", decimals: 0 }
    case 4:
      return {}
    default:
      return { name, symbol: `T${number}`, decimals: number % 31 }
  }
}

/** What an ERC-721 contract says of an id; undefined = it reverts. */
export const uriOf = (id: bigint): string | undefined => (id % 7n === 3n ? undefined : `https://ids.example/${id}`)

const word = (value: bigint | number | string) => BigInt(value).toString(16).padStart(64, "0")
const textOf = (value: string) => {
  const bytes = Buffer.from(value).toString("hex")
  return `0x${word(32)}${word(bytes.length / 2)}${bytes.padEnd(Math.ceil(bytes.length / 64) * 64, "0")}`
}
/** Of the old kind: 32 bytes, filled up with zeros. */
const bytes32Of = (value: string) => `0x${Buffer.from(value).toString("hex").padEnd(64, "0")}`

/** What an `eth_call` returns; undefined = it reverts. */
export const callScene = (to: string, data: string): string | undefined => {
  const contract = to.toLowerCase()
  const { name, symbol, decimals } = sayingOf(contract)
  const pool = pools.get(contract)
  switch (data.slice(0, 10)) {
    case "0x06fdde03":
      return name && textOf(` ${name}\0`)
    case "0x95d89b41":
      return symbol && (contract.endsWith("1") ? bytes32Of(symbol) : textOf(symbol))
    case "0x313ce567":
      // More than a uint8 is no number of decimals.
      return decimals === undefined ? (contract.endsWith("2") ? `0x${word(300)}` : undefined) : `0x${word(decimals)}`
    case "0xc87b56dd": {
      const uri = uriOf(BigInt(`0x${data.slice(10)}`))
      return uri && textOf(uri)
    }
    case "0x0dfe1681":
      return pool === undefined || pool.says === "nothing" ? undefined : `0x${word(pool.token0)}`
    case "0xd21220a7":
      return pool === undefined || pool.says === "nothing" ? undefined : `0x${word(pool.token1)}`
    case "0xc45a0155":
      return pool === undefined || pool.says === "no factory" ? undefined : `0x${word(factories[pool.kind])}`
    case "0xddca3f43":
      return pool === undefined ? undefined : `0x${word(3000)}`
    default:
      return registered(contract, data)
  }
}

/** getPair, getPool of each kind's factory: the pool that it made for these tokens; of those that lie another one. */
const registered = (factory: string, data: string): string | undefined => {
  const kind = { "0xe6a43905": "v2", "0x1698ee82": "v3", "0x6801cc30": "solidly" }[data.slice(0, 10)]
  if (kind === undefined) return undefined
  const isOfKind = (pool: ScenePool) =>
    kind === "v3" ? pool.kind === "v3" || pool.kind === "pancake" : pool.kind === kind
  const asked = [data.slice(10, 74), data.slice(74, 138)].map((hex) => address(Number(BigInt(`0x${hex}`) % 2n ** 48n)))
  for (const [place, pool] of pools) {
    if (factories[pool.kind] !== factory || !isOfKind(pool) || pool.token0 !== asked[0] || pool.token1 !== asked[1])
      continue
    if (pool.says === "truth") return `0x${word(place)}`
    if (pool.says === "lie") return `0x${word(address(0x5fff))}`
  }
  return Object.values<string>(factories).includes(factory) ? `0x${word(0)}` : undefined
}

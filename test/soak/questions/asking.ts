/** Random parameters for questions: contracts and people that there are, in any spelling, on one chain or on all. */
import type { Random } from "../../../demo/chain/random.ts"
import { address } from "../../support/chain/testChain.ts"
import { nobody, type TrueStandard } from "../../support/judge/trueLogs.ts"
import type { SoakChain } from "../chain/chain.ts"
import { coins, collections, crowd, dollar, goods, parrot, wrapped } from "../chain/scene.ts"

export const prefix = "/v2/network/mainnet/evm"

const contracts: Readonly<Record<TrueStandard, ReadonlyArray<string>>> = {
  erc20: [...coins, wrapped, dollar, ...[0x70, 0x71, 0x72, 0x73, 0x74].map(address), parrot],
  erc721: [...collections, ...[0x73, 0x74, 0x75].map(address), parrot],
  erc1155: [...goods, ...[0x74, 0x75, 0x76].map(address), parrot],
}
const people = [...crowd, ...[0xa0, 0xa1, 0xa2, 0xa3].map(address), nobody]

type Values = Readonly<Record<string, string | number | ReadonlyArray<string> | undefined>>

export class Asking {
  constructor(
    readonly random: Random,
    readonly chains: ReadonlyArray<SoakChain>,
    /** What is not left to chance. */
    private readonly given: { readonly chain?: SoakChain; readonly contract?: string; readonly person?: string } = {},
  ) {}

  readonly person = (): string =>
    this.given.person ?? (this.random.chance(0.03) ? address(0xdead) : this.random.pick(people))

  /** Mostly one that emits the standard. */
  contract(standard: TrueStandard): string {
    const { random, given } = this
    if (given.contract !== undefined) return given.contract
    if (random.chance(0.02)) return address(0xdead)
    return random.pick(random.chance(0.9) ? contracts[standard] : Object.values(contracts).flat())
  }

  anyContract(): string {
    return this.contract(this.random.pick(["erc20", "erc721", "erc1155"]))
  }

  /** One for each contract of each chain, with some person; nobody is left out. */
  everyone(): ReadonlyArray<Asking> {
    const known = [...new Set(Object.values(contracts).flat())]
    const each = Math.max(known.length, Math.ceil(people.length / this.chains.length))
    return this.chains.flatMap((chain, part) =>
      Array.from(
        { length: each },
        (_, place) =>
          new Asking(this.random, this.chains, {
            chain,
            contract: known[place % known.length]!,
            person: people[(part * each + place) % people.length]!,
          }),
      ),
    )
  }

  chain(): SoakChain {
    return this.given.chain ?? this.random.pick(this.chains)
  }

  /** Mostly below every head. */
  block(chain = this.chains[0]!): number {
    return this.random.below(chain.head + (this.random.chance(0.1) ? 30 : 1))
  }

  /** In any letter case. */
  written(hex: string): string {
    return this.random.chance(0.8) ? hex : `0x${hex.slice(2).toUpperCase()}`
  }

  /** Path and query of a list; `forAll`: it may be asked of all chains at once. */
  list(path: string, values: Values, forAll = true) {
    const { random } = this
    const all = this.chains.map(({ chainId }) => chainId)
    const many = forAll && random.chance(0.3)
    const chainId = this.chain().chainId
    const limit = random.pick([undefined, 1, 2, 3, 7, 10, 30, 100, 1000])
    const count = random.chance(0.3)
    const excluded = forAll && random.chance(0.1) ? random.pick([...all, "5"]) : undefined
    const included = forAll && random.chance(0.1) ? [random.pick(all), "77"] : undefined
    const query = Object.entries({ ...values, limit, excludedChainIds: excluded, includedChainIds: included })
    const pairs = query.flatMap(([name, value]) => (value === undefined ? [] : this.pairs(name, value)))
    if (count) pairs.push("count=true")
    return {
      kind: "list" as const,
      url: `${prefix}/${many ? "all" : chainId}/${path}${pairs.length === 0 ? "" : `?${pairs.join("&")}`}`,
      limit: limit ?? 25,
      count,
      many,
      chains: (many ? all : [chainId]).filter((id) => id !== excluded && (included?.includes(id) ?? true)),
    }
  }

  /** Several values joined, or one after the other. */
  private pairs(name: string, value: NonNullable<Values[string]>): Array<string> {
    if (!Array.isArray(value)) return [`${name}=${value}`]
    const texts = value.map((each: string) => (each.startsWith("0x") ? this.written(each) : each))
    return this.random.chance(0.5) ? [`${name}=${texts.join(",")}`] : texts.map((text) => `${name}=${text}`)
  }
}

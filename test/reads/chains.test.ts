/** Which chains a request speaks of. */
import { describe, expect, test } from "bun:test"
import { Effect } from "effect"
import { type ChainSelectors, selectChains } from "../../src/domain/reads/chains.ts"
import { ChainId } from "../../src/model/primitives.ts"
import { Networks } from "../../src/ports/Networks.ts"

const networks = Networks.of({
  chains: [
    { chainId: ChainId.make("1"), network: "mainnet", ecosystems: [] },
    { chainId: ChainId.make("43114"), network: "mainnet", ecosystems: ["avalanche"] },
    { chainId: ChainId.make("43113"), network: "testnet", ecosystems: ["avalanche"] },
  ],
})
const select = (network: string, chainId: string, selectors: ChainSelectors = {}): string | ReadonlyArray<string> =>
  Effect.runSync(
    selectChains(network, chainId, selectors).pipe(
      Effect.provideService(Networks, networks),
      Effect.catch((error) => Effect.succeed(error.message)),
    ),
  )

describe("selectChains", () => {
  test("all is every chain of the network", () => {
    expect(select("mainnet", "all")).toEqual(["1", "43114"])
    expect(select("testnet", "all")).toEqual(["43113"])
  })

  test("selectors narrow, also a chain that is named", () => {
    expect(select("mainnet", "all", { ecosystem: "avalanche" })).toEqual(["43114"])
    expect(select("mainnet", "all", { ecosystem: "43114" })).toEqual(["43114"])
    expect(select("mainnet", "1", { ecosystem: "avalanche" })).toEqual([])
    expect(select("mainnet", "1", { ecosystem: "nowhere" })).toEqual([])
    expect(select("mainnet", "all", { includedChainIds: ["1", "999"] })).toEqual(["1"])
    expect(select("mainnet", "all", { excludedChainIds: ["1", "999"] })).toEqual(["43114"])
    expect(select("mainnet", "1", { excludedChainIds: ["1"] })).toEqual([])
  })

  test("an unknown network or chain is not supported, and says which", () => {
    expect(select("moonnet", "all")).toBe('network "moonnet" is not supported')
    expect(select("mainnet", "43113")).toBe('chain "43113" is not supported in network "mainnet"')
  })
})

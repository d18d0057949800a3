/** What the demo's configuration file says of the local chain: what Cowry's own table of chains says of real ones. */
import type { WrittenFacts } from "../src/config/chains/facts.ts"
import type { DemoChain } from "./chain/deploy.ts"
import { burner } from "./chain/traffic.ts"

/** The file of COWRY_CONFIG, as JSON. */
export const configOf = ({ factory, poolFactory, tokens }: DemoChain): string => {
  const facts: WrittenFacts = {
    name: "Demo",
    nativeCurrency: { name: "Ether", symbol: "ETH", decimals: 18 },
    wrappedNative: { address: tokens.wrapped, mintedBy: "Deposit" },
    // What the node's ten accounts begin with, all there ever is, less what was burnt.
    supply: { kind: "fixed", total: "100000", burnt: [burner] },
    // What prices are measured by.
    anchors: { [tokens.dollar]: { symbol: "USDD" } },
    factories: {
      [factory]: { dex: "Uniswap V2", kind: "v2", deployer: "Uniswap" },
      [poolFactory]: { dex: "Uniswap V3", kind: "v3", deployer: "Uniswap" },
    },
  }
  return JSON.stringify({ chains: { 31337: facts } }, null, 2)
}

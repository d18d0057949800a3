/** The demo's token list, in the format of tokenlists.org: whom it trusts, and what it says of them. */

import type { Address } from "./chain/address.ts"
import type { DemoChain } from "./chain/deploy.ts"

/** The file of TOKEN_LISTS, as JSON. `time`: milliseconds, when it was made. */
export const tokenListOf = ({ tokens }: DemoChain, time = Date.now()): string => {
  const entry = (address: Address, name: string, symbol: string, decimals: number, extensions = {}) => ({
    chainId: 31337,
    address,
    name,
    symbol,
    decimals,
    extensions,
  })
  const list = {
    name: "Demo tokens",
    timestamp: new Date(time).toISOString(),
    version: { major: 1, minor: 0, patch: 0 },
    tokens: [
      entry(tokens.dollar, "Demo Dollar", "USDD", 6, {
        website: "https://dollar.example",
        description: "Stands for one US dollar on the demo's chain.",
      }),
      entry(tokens.shell, "Cowry Shell", "SHELL", 18, shellSays),
      entry(tokens.wrapped, "Wrapped Ether", "WETH", 18, { description: "The native coin as an ERC-20 token." }),
      entry(tokens.toll, "Toll Coin", "TOLL", 18, { description: "Takes a fee of each transfer." }),
    ],
  }
  return JSON.stringify(list, null, 2)
}

/** Everything that can be said of a token. */
const shellSays = {
  website: "https://shell.example",
  description: "What was paid with on many coasts, for longer than any coin.",
  email: "mail@shell.example",
  blog: "https://shell.example/blog",
  reddit: "https://reddit.example/r/shell",
  slack: "https://slack.example/shell",
  facebook: "https://facebook.example/shell",
  twitter: "https://twitter.example/shell",
  bitcointalk: "https://bitcointalk.example/shell",
  github: "https://github.example/shell",
  telegram: "https://telegram.example/shell",
  wechat: "https://wechat.example/shell",
  linkedin: "https://linkedin.example/shell",
  discord: "https://discord.example/shell",
  whitepaperUrl: "https://shell.example/paper.pdf",
  audit: "https://shell.example/audit",
}

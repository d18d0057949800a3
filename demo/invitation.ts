/** What the demo prints once it runs: where it is, and calls worth trying. */
import type { DemoChain } from "./chain/deploy.ts"

/** `block`: one in the middle of the chain. */
export const invitation = (url: string, chain: DemoChain, block: number): string => {
  const base = `${url}/v2/network/mainnet/evm/31337`
  const { shell, toll, dollar, wrapped } = chain.tokens
  const { cards } = chain.collections
  const calls = [
    ["Every ERC-20 token, by number of holders", "/erc20?sort=holdersCount,desc&limit=10"],
    ["Trusted tokens, by market capitalisation", "/top-erc20?limit=3"],
    ["What was paid in dollars for what, and where", `/erc20-swaps?tokenIn=${dollar}&limit=5&count=true`],
    ["The newest transfers of a token that takes a fee on each", `/erc20-transfers?tokenAddress=${toll}&limit=5`],
    ["Who holds most of another, and how many do", `/erc20/${shell}/holders?limit=5&count=true`],
    [
      `What an account had at block ${block}`,
      `/compat/api?module=account&action=tokenbalancehistory&contractaddress=${dollar}&address=${chain.accounts[1]}&blockno=${block}`,
    ],
    [
      `How much native coin was wrapped at block ${block}`,
      `/compat/api?module=stats&action=tokensupplyhistory&contractaddress=${wrapped}&blockno=${block}`,
    ],
    ["The ids of a collection that exist, and how many do", `/erc721/${cards}/tokens?limit=5&count=true`],
    [
      "Those of them that an account owns",
      `/compat/api?module=account&action=addresstokennftinventory&contractaddress=${cards}&address=${chain.accounts[1]}&page=1&offset=10`,
    ],
    ["What is known of a token", `/compat/api?module=token&action=tokeninfo&contractaddress=${shell}`],
    ["Who holds how much of which id of an ERC-1155 contract", `/erc1155/${chain.goods}/holders?limit=5`],
    ["How much native coin there is", "/supply"],
  ] as const
  const lines = calls.map(([meaning, path]) => `  # ${meaning}\n  curl -s '${base}${path}'\n`)
  return `
Cowry answers at ${url}
Its page, for a browser: ${url}/
Its documentation, to read and to try: ${url}/docs
Its tools for agents, over MCP: ${url}/mcp
The local chain's own node is at ${chain.url}: ask it the same and compare.

${lines.join("\n")}
  # Transfers as they come: this one does not end by itself
  curl -N '${base}/events?kinds=transfer'

Ctrl-C ends everything and leaves nothing behind.
`
}

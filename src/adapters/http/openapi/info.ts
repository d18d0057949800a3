/** What the documentation says before any endpoint: in prose, once. */

/** That of package.json; a test holds them equal. */
export const version = "0.2.0"

const description = `Token data of EVM chains: ERC-20, ERC-721 and ERC-1155 contracts, transfers, holders, balances and their history.

- **Paths.** Everything about a chain is below \`/v2/network/{networkId}/evm/{chainId}\`; what Etherscan's own clients ask is at \`/v2/api\`, \`/api\` and \`/{chainId}/api\` too. Lists of contracts, transfers, swaps, what addresses hold, portfolios, events and supply also take \`all\`: every chain of the network.
- **Methods.** Data is asked by GET; the compatibility endpoint takes POST with a form too, and paths of other services have methods of their own. Webhooks are managed by GET, POST, PATCH and DELETE. HEAD answers as GET without the body, OPTIONS answers a browser's preflight.
- **Parameters.** Unknown ones are ignored and named in the header \`x-ignored-parameters\`; with \`strict=true\` they are refused. Several values of one come comma-joined or repeated. Addresses are taken in any letter case and answered in lower case.
- **Lists.** \`link.next\` is the path and query of the next page, \`link.nextToken\` the cursor in it; neither is there on the last page. A cursor never expires and belongs to its path and parameters, but for \`limit\`, \`count\`, keys and fields of \`include\` (not \`wraps\`). One as of a block is refused once a reorg replaced the block.
- **Values.** Amounts, balances and supplies are raw subunits, decimal integers in a string. What is not known is absent: never null, never an empty string, never 0. But \`isContract\` is null where nobody has asked, and decimals of swaps are 0 where the token tells none.
- **Freshness.** The \`x-as-of-…\` headers name the block that an answer speaks of; \`x-lag-blocks\` says how far it is behind the node.
- **Validators.** An answer has an \`etag\`. Sent back in \`If-None-Match\` it is answered with 304, without a body, while nothing about it is new. Each block makes another tag. So does what is found in the background (names, prices), but not of figures alone. A 304 has the headers of now. Refusals have none.
- **Keys.** In open mode no key is needed and any is accepted. In strict mode a configured key is: in the header \`apikey\`, the parameter \`apikey\` (or \`apiKey\`), or as \`Authorization: Bearer\`.
- **Errors.** Native ones have an HTTP status and a body of \`statusCode\`, \`code\` (a stable word), \`error\` and \`message\`. The compatibility endpoint answers most with HTTP 200, \`status\` \`"0"\` and the reason in \`result\`. A path that nothing is at is 404 \`NOT_FOUND\`.

Examples are real answers of the service on a small fixed chain. This document: [/openapi.json](/openapi.json).`

export const info = {
  title: "Cowry",
  version,
  summary: "Token data of EVM chains, self-hosted",
  description,
  license: { name: "MIT", identifier: "MIT" },
}

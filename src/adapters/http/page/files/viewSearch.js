/** What is found by a name, a symbol or an address, on every chain. */
import { chainOf, pathOf, readChains, readNetworks } from "./api.js"
import { h } from "./dom.js"
import { tokensOf } from "./tokens.js"

const isAddress = /^0x[0-9a-f]{40}$/i
const standards = ["erc20", "erc721", "erc1155"]

/** @param {import("./main.js").View} view @returns {Promise<import("./main.js").Shown>} */
export const search = async ({ parameters }) => {
  const asked = (parameters.get("q") ?? "").trim()
  const only = parameters.get("chain")
  const found = asked === "*" && only !== null ? await everyToken(only) : await byText(asked)
  return {
    title: `Search: ${asked}`,
    content: [h("h1", {}, asked === "*" ? "Tokens" : `Search: ${asked}`), ...(await asAccount(asked)), ...found],
  }
}

/** An address may be an account: it is shown on each chain, whatever tokens are found. @param {string} asked */
const asAccount = async (asked) => {
  if (!isAddress.test(asked)) return []
  const links = (await readChains()).map(({ chainId, name }) =>
    h(
      "li",
      {},
      h(
        "a",
        { href: `/?chain=${chainId}&address=${asked.toLowerCase()}` },
        `What it holds on ${name ?? `chain ${chainId}`}`,
      ),
    ),
  )
  return [h("ul", {}, ...links)]
}

/** @param {string} chainId */
const everyToken = async (chainId) => {
  const chain = await chainOf(chainId)
  return Promise.all(
    standards.map((standard) =>
      listed(standard, pathOf(chain, `/${standard}`, { sort: "holdersCount,desc", limit: 50 })),
    ),
  )
}

/** @param {string} asked */
const byText = async (asked) => {
  const networks = await readNetworks()
  const parameters = isAddress.test(asked)
    ? { tokenAddress: asked.toLowerCase(), limit: 25 }
    : { search: asked, limit: 25 }
  const calls = networks.flatMap((network) =>
    standards.map((standard) => ({ standard, call: pathOf({ network, chainId: "all" }, `/${standard}`, parameters) })),
  )
  return Promise.all(calls.map(({ standard, call }) => listed(standard, call)))
}

/** @param {string} standard @param {string} call */
const listed = (standard, call) => tokensOf(`${standard.toUpperCase().replace("ERC", "ERC-")} tokens`, call, standard)

/** A list of tokens, of one standard. */
import { h, table } from "./dom.js"
import { count, dollarsOf18 } from "./format.js"
import { tokenLink } from "./links.js"
import { listSection } from "./readSection.js"

/** @param {string} title @param {string} call @param {string} standard */
export const tokensOf = (title, call, standard) => {
  const shown = standard === "erc20" ? [...columns, ...ofErc20] : columns
  return listSection(title, call, "None is found.", (items) =>
    table(
      title,
      shown,
      items.map((token) => shown.map(({ cell }) => cell(token, standard))),
    ),
  )
}

/** @typedef {{ readonly head: string, readonly numeric?: boolean, readonly cell: (token: any, standard: string) => Node | string }} Column */

/** @type {ReadonlyArray<Column>} */
const columns = [
  { head: "Token", cell: ({ chainId, address, symbol }, standard) => tokenLink(chainId, address, symbol, standard) },
  { head: "Name", cell: ({ name }) => h("bdi", {}, name ?? "–") },
  { head: "Chain", cell: ({ chainId }) => chainId },
  { head: "Holders", numeric: true, cell: ({ holdersCount: many }) => (many === undefined ? "–" : count(many)) },
  {
    head: "Transfers in 24 h",
    numeric: true,
    cell: ({ transfers }) => (transfers === undefined ? "–" : count(transfers.last24h)),
  },
]

/** @type {ReadonlyArray<Column>} */
const ofErc20 = [
  { head: "Price", numeric: true, cell: ({ price }) => dollarsOf18(price) },
  { head: "Market capitalisation", numeric: true, cell: ({ marketCap }) => dollarsOf18(marketCap) },
]

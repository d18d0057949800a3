/** The newest transfers, of a token or of an address. */
import { nameOf, pathOf } from "./api.js"
import { table } from "./dom.js"
import { amount, count, dollars, time } from "./format.js"
import { addressLink, tokenLink } from "./links.js"
import { listSection } from "./readSection.js"

/**
 * @param {import("./api.js").Chain} chain
 * @param {string} standard
 * @param {Record<string, string | number | undefined>} filter
 */
export const transfersOf = (chain, standard, filter) => {
  const call = pathOf(chain, `/${standard}-transfers`, { ...filter, limit: 25 })
  const title = `Newest ${standard.toUpperCase().replace("ERC", "ERC-")} transfers`
  return listSection(title, call, "There are none.", (items) =>
    table(`${title} on ${nameOf(chain)}`, columns, items.map(rowOf)),
  )
}

const columns = [
  { head: "Time (UTC)" },
  { head: "Block", numeric: true },
  { head: "Token" },
  { head: "From" },
  { head: "To" },
  { head: "Amount", numeric: true },
  { head: "Then worth", numeric: true },
]

/** @param {any} row */
const rowOf = (row) => [
  time(row.timestamp),
  count(row.blockNumber),
  tokenLink(
    row.chainId,
    row.tokenAddress,
    row.tokenSymbol,
    row.tokenId === undefined ? "erc20" : row.amount === undefined ? "erc721" : "erc1155",
  ),
  addressLink(row.chainId, row.from, "minted"),
  addressLink(row.chainId, row.to, "burnt"),
  amountOf(row),
  dollars(row.amountInUsd),
]

/** @param {any} row */
const amountOf = ({ amount: raw, tokenId, tokenDecimals }) => {
  if (tokenId === undefined) return amount(raw, tokenDecimals)
  return raw === undefined ? `#${tokenId}` : `${count(raw)} of #${tokenId}`
}

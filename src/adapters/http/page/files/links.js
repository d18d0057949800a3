/** Links from one view to another: every view is a URL. */
import { h } from "./dom.js"
import { short } from "./format.js"

/** @param {string} chainId @param {string} address @param {string} [symbol] @param {string} [standard] */
export const tokenLink = (chainId, address, symbol, standard) =>
  h(
    "a",
    {
      href: `/?chain=${chainId}&token=${address}${standard === undefined || standard === "erc20" ? "" : `&standard=${standard}`}`,
      title: address,
    },
    h("bdi", {}, symbol?.trim() || short(address)),
  )

const zero = `0x${"0".repeat(40)}`

/** @param {string} chainId @param {string} address @param {string} [atZero] what the zero address stands for */
export const addressLink = (chainId, address, atZero) =>
  atZero !== undefined && address === zero
    ? h("span", { title: zero }, atZero)
    : h("a", { href: `/?chain=${chainId}&address=${address}`, title: address }, short(address))

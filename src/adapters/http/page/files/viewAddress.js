/** An address: what it holds and what that is worth, now or at any block by a slider, its past as a plot, its transfers. */
import { nameOf, pathOf, read } from "./api.js"
import { figures, h, note, refusal, section, table } from "./dom.js"
import { amount, count, dollars, dollarsOf18, time } from "./format.js"
import { tokenLink } from "./links.js"
import { plot } from "./plot.js"
import { transfersOf } from "./transfers.js"

const day = 86_400_000

/** @param {import("./main.js").View} view @returns {Promise<import("./main.js").Shown>} */
export const address = async ({ parameters, chain, go }) => {
  const address = (parameters.get("address") ?? "").toLowerCase()
  const block = parameters.get("block") ?? undefined
  const holdings = h("div", {})
  const newest = h("div", {})
  const refresh = async () => {
    holdings.replaceChildren(...(await holdingsOf(chain, address, block)))
    newest.replaceChildren(
      ...(await Promise.all(
        ["erc20", "erc721", "erc1155"].map((standard) =>
          transfersOf(chain, standard, { address, blockNumberTo: block }),
        ),
      )),
    )
  }
  const [range, past] = await Promise.all([blockRange(chain), history(chain, address), refresh()])
  return {
    title: `${address} on ${nameOf(chain)}`,
    content: [
      h("h1", {}, address),
      h("p", {}, `On ${nameOf(chain)}`),
      slider(range, block, go),
      holdings,
      past,
      newest,
    ],
    refresh: async () => {
      if (block === undefined && !holdings.contains(document.activeElement) && !newest.contains(document.activeElement))
        await refresh()
    },
  }
}

/** @param {import("./api.js").Chain} chain */
const blockRange = async ({ chainId }) => {
  const { chains } = await read("/ready", { anyStatus: true })
  const state = chains.find((/** @type {any} */ it) => it.chainId === chainId)
  return { first: state?.firstBlock ?? 0, newest: state?.indexedBlock ?? 0 }
}

/** @param {{ first: number, newest: number }} range @param {string | undefined} block @param {import("./main.js").View["go"]} go */
const slider = ({ first, newest }, block, go) => {
  const value = block ?? String(newest)
  const number = /** @type {HTMLInputElement} */ (
    h("input", { id: "block", type: "number", min: String(first), max: String(newest), value, inputmode: "numeric" })
  )
  const range = /** @type {HTMLInputElement} */ (
    h("input", {
      id: "slide",
      type: "range",
      min: String(first),
      max: String(newest),
      value,
      "aria-label": "Block, by a slider",
    })
  )
  range.addEventListener("input", () => {
    number.value = range.value
  })
  range.addEventListener("change", () => choose(range.value, "slide"))
  /** @param {string} chosen @param {string} from the control that has the focus and keeps it */
  const choose = async (chosen, from) => {
    await go({ block: chosen === "" || Number(chosen) >= newest ? undefined : chosen })
    document.getElementById(from)?.focus()
  }
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    choose(number.value, "block")
  }
  return h(
    "form",
    { onsubmit: submit, "aria-label": "As of which block" },
    h("label", { for: "block" }, "As of block"),
    number,
    range,
    h("button", {}, "Show"),
    block === undefined
      ? h("span", { class: "note" }, "the newest")
      : h("button", { type: "button", onclick: () => choose("", "block") }, "The newest"),
  )
}

/** @param {import("./api.js").Chain} chain @param {string} address @param {string | undefined} block */
const holdingsOf = async (chain, address, block) => {
  const call = pathOf(chain, `/address/${address}/tokens`, {
    standard: "native,erc20,erc721,erc1155",
    sort: "valueUsd,desc",
    blockNumber: block,
    limit: 100,
  })
  const total = pathOf(chain, `/address/${address}/portfolio`, { blockNumber: block })
  const [held, worth] = await Promise.all([read(call).catch((fault) => fault), read(total).catch(() => undefined)])
  if (held instanceof Error) return [section("Holdings", call, refusal(held))]
  const columns = [
    { head: "Token" },
    { head: "Name" },
    { head: "Standard" },
    { head: "Balance", numeric: true },
    { head: "Price", numeric: true },
    { head: "Value", numeric: true },
    { head: "Audit" },
  ]
  const rows = held.items.map((/** @type {any} */ item) => [
    item.standard === "native"
      ? (item.symbol ?? "native")
      : tokenLink(chain.chainId, item.tokenAddress, item.symbol, item.standard),
    item.name ?? "–",
    item.standard,
    amount(item.balance, item.standard === "erc20" || item.standard === "native" ? item.decimals : 0),
    dollarsOf18(item.price),
    dollars(item.valueUsd),
    item.auditState ?? "–",
  ])
  return [
    ...(worth === undefined ? [] : [totals(worth, total)]),
    section("Holdings", call, rows.length === 0 ? note("It holds nothing.") : table("What it holds", columns, rows)),
  ]
}

/** @param {any} portfolio @param {string} call */
const totals = ({ chains: [chain] = [], valueUsd }, call) =>
  figures([
    { name: "Worth", value: dollars(chain?.valueUsd ?? valueUsd), call },
    { name: "Tokens with a price", value: chain?.priced === undefined ? "–" : count(chain.priced), call },
    { name: "Tokens without", value: chain?.unpriced === undefined ? "–" : count(chain.unpriced), call },
    {
      name: "As of block",
      value: chain?.blockNumber === undefined ? "–" : count(chain.blockNumber),
      call,
      note: chain?.timestamp === undefined ? undefined : time(chain.timestamp),
    },
  ])

/** @param {import("./api.js").Chain} chain @param {string} address */
const history = async (chain, address) => {
  const from = new Date(Date.now() - 30 * day).toISOString().slice(0, 19) + "Z"
  const call = pathOf(chain, `/address/${address}/portfolio/history`, { timestampFrom: from, interval: "1d" })
  try {
    const { items } = await read(call)
    const points = items.map((/** @type {any} */ point) => ({
      seconds: Date.parse(point.timestamp) / 1000,
      value: point.valueUsd === undefined ? undefined : Number(point.valueUsd),
      text: dollars(point.valueUsd),
    }))
    points.sort((/** @type {any} */ a, /** @type {any} */ b) => a.seconds - b.seconds)
    return section("Its worth over time", call, plot("Worth in dollars", points))
  } catch (fault) {
    return section("Its worth over time", call, refusal(fault))
  }
}

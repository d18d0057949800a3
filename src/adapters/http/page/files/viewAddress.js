/** An address: what it holds and what that is worth, now or at any block by a slider, its past as a plot, its transfers. */
import { addressIn, nameOf, pathOf, read, standards } from "./api.js"
import { figures, h, note, table, update } from "./dom.js"
import { amount, count, dollars, dollarsOf18, time } from "./format.js"
import { tokenLink } from "./links.js"
import { slowPaceMs } from "./live.js"
import { daysAgo, overTime } from "./plot.js"
import { readSection } from "./readSection.js"
import { transfersOf } from "./transfers.js"

/** @param {import("./main.js").View} view @returns {Promise<import("./main.js").Shown>} */
export const address = async ({ parameters, chain, go }) => {
  const address = addressIn(parameters, "address")
  const block = parameters.get("block") ?? undefined
  const [holdings, worth, newest] = [h("div", {}), h("div", {}), h("div", {})]
  const refresh = async (/** @type {boolean} */ whole) => {
    const [held, past, transfers] = await Promise.all([
      holdingsOf(chain, address, block),
      whole ? history(chain, address) : undefined,
      Promise.all(standards.map((standard) => transfersOf(chain, standard, { address, blockNumberTo: block }))),
    ])
    update(holdings, held)
    if (past !== undefined) update(worth, [past])
    update(newest, transfers)
  }
  const [range] = await Promise.all([blockRange(chain), refresh(true)])
  const isHere = () => placeOf(new URLSearchParams(location.search)) === placeOf(parameters)
  const chooser = slider(range, block, (changes, options) => (isHere() ? go(changes, options) : undefined))
  return {
    title: `${address} on ${nameOf(chain)}`,
    content: [h("h1", {}, address), h("p", {}, `On ${nameOf(chain)}`), chooser.form, holdings, worth, newest],
    paceMs: slowPaceMs,
    refresh: async (whole) => {
      chooser.grow((await blockRange(chain)).newest)
      // What is as of a block stays, but for a reorg that took the block.
      if (block === undefined || whole) await refresh(whole)
    },
  }
}

/** What a URL shows, as of whichever block. @param {URLSearchParams} parameters */
const placeOf = (parameters) => {
  const rest = new URLSearchParams(parameters)
  rest.delete("block")
  return String(rest)
}

/** `newest`: undefined = nobody knows it at the moment. @param {import("./api.js").Chain} chain */
const blockRange = async ({ chainId }) => {
  const { chains } = await read("/ready", { anyStatus: true })
  const state = chains.find((/** @type {any} */ it) => it.chainId === chainId)
  return { first: state?.firstBlock ?? 0, newest: /** @type {number | undefined} */ (state?.indexedBlock) }
}

/** @param {{ first: number, newest: number | undefined }} range @param {string | undefined} block @param {import("./main.js").View["go"]} go */
const slider = ({ first, newest: atFirst }, block, go) => {
  let newest = atFirst
  const max = newest === undefined ? undefined : String(newest)
  const value = block ?? max
  const number = /** @type {HTMLInputElement} */ (
    h("input", { id: "block", type: "number", min: String(first), max, value, inputmode: "numeric" })
  )
  const range = /** @type {HTMLInputElement} */ (
    h("input", {
      id: "slide",
      type: "range",
      min: String(first),
      // Without one its end would be 100.
      max: max ?? block ?? String(first),
      value,
      "aria-label": "Block, by a slider",
    })
  )
  range.addEventListener("input", () => {
    number.value = range.value
  })
  /** Keys move it a block at a time: what it comes to rest at is shown. @type {ReturnType<typeof setTimeout> | undefined} */
  let rest
  range.addEventListener("change", () => {
    const { search } = location
    clearTimeout(rest)
    rest = setTimeout(() => {
      // Who went on meanwhile, or back, is left there.
      if (location.search === search) choose(range.value, "slide")
    }, 400)
  })
  /** @param {string} chosen @param {string} from the control that has the focus and keeps it */
  const choose = async (chosen, from) => {
    // From block to block is one step back.
    const replaces = block !== undefined && from === "slide"
    const isNewest = chosen === "" || (newest !== undefined && Number(chosen) >= newest)
    await go({ block: isNewest ? undefined : chosen }, { replaces })
    document.getElementById(from)?.focus()
  }
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    choose(number.value, "block")
  }
  /** @param {number | undefined} head the newest block by now */
  const grow = (head) => {
    if (head === undefined) return
    newest = head
    for (const input of [number, range]) {
      input.max = String(head)
      // Who shows the newest is shown the newest; who is choosing is left alone.
      if (block === undefined && document.activeElement !== input) input.value = String(head)
    }
  }
  const form = h(
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
  return { form, grow }
}

/** Of the list and of its worth: what gas is paid in is left out unless it is asked for. */
const held = "native,erc20,erc721,erc1155"

/** @param {import("./api.js").Chain} chain @param {string} address @param {string | undefined} block */
const holdingsOf = async (chain, address, block) => {
  const call = pathOf(chain, `/address/${address}/tokens`, {
    standard: held,
    sort: "valueUsd,desc",
    blockNumber: block,
    limit: 100,
  })
  const total = pathOf(chain, `/address/${address}/portfolio`, { standard: held, blockNumber: block })
  const columns = [
    { head: "Token" },
    { head: "Balance", numeric: true },
    { head: "Value", numeric: true },
    { head: "Price", numeric: true },
    { head: "Name" },
    { head: "Standard" },
    { head: "Audit" },
  ]
  /** @param {any} item */
  const rowOf = (item) => [
    item.standard === "native"
      ? (item.symbol ?? "native")
      : h(
          "span",
          {},
          tokenLink(chain.chainId, item.tokenAddress, item.symbol, item.standard),
          item.tokenId === undefined ? undefined : ` #${item.tokenId}`,
        ),
    amount(item.balance, item.standard === "erc20" || item.standard === "native" ? item.decimals : 0),
    dollars(item.valueUsd),
    dollarsOf18(item.price),
    h("bdi", {}, item.name ?? "–"),
    item.standard,
    item.auditState ?? "–",
  ]
  const list = readSection(
    "Holdings",
    call,
    ({ items, link }) => [
      items.length === 0 ? note("It holds nothing.") : table("What it holds", columns, items.map(rowOf)),
      ...(link.next === undefined ? [] : [note(`These are the first ${items.length}; the API has the others.`)]),
    ],
    block,
  )
  // Whoever cannot be told what it is worth in all is told what it holds.
  const worth = read(total).then(
    (portfolio) => [totals(portfolio, total)],
    () => [],
  )
  return [...(await worth), await list]
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
const history = (chain, address) => {
  const call = pathOf(chain, `/address/${address}/portfolio/history`, { timestampFrom: daysAgo(30), interval: "1d" })
  // What gas is paid in an archive node alone can tell of the past.
  return overTime("Worth of its ERC-20 tokens over time", "Worth in dollars", call, ({ valueUsd }) => ({
    value: valueUsd === undefined ? undefined : Number(valueUsd),
    text: dollars(valueUsd),
  }))
}

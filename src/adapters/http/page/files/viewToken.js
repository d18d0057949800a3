/** A token: its figures, supply, price and holders over time, who holds it, its transfers, what the audit says. */
import { addressIn, blockOf, nameOf, pathOf, read, standards } from "./api.js"
import { figures, h, note, section, table, update } from "./dom.js"
import { amount, approximate, count, decimalOf, dollars, dollarsOf18, percent, plain, short, time } from "./format.js"
import { addressLink } from "./links.js"
import { slowPaceMs } from "./live.js"
import { daysAgo, overTime, plot } from "./plot.js"
import { listSection, readSection } from "./readSection.js"
import { transfersOf } from "./transfers.js"

/** @param {import("./main.js").View} view @returns {Promise<import("./main.js").Shown>} */
export const token = async ({ parameters, chain }) => {
  const address = addressIn(parameters, "token")
  const standard = standards.find((it) => it === parameters.get("standard")) ?? "erc20"
  const call = pathOf(chain, `/${standard}/${address}`)
  const [head, plots, held, newest] = [h("div", {}), h("div", {}), h("div", {}), h("div", {})]
  let known = await read(call)
  const isFungible = standard === "erc20"
  const refresh = async (/** @type {boolean} */ whole) => {
    known = await read(call)
    const [figures, overTimes, holders, transfers] = await Promise.all([
      headOf(chain, known, call, standard),
      whole && isFungible
        ? Promise.all([supplyOf(chain, known), holderCounts(chain, known), priceOf(chain, known)])
        : undefined,
      holdersOf(chain, known, standard),
      transfersOf(chain, standard, { tokenAddress: address }),
    ])
    update(head, [figures])
    if (overTimes !== undefined) update(plots, overTimes)
    update(held, [holders])
    update(newest, [transfers])
  }
  await refresh(true)
  const title = `${plain(known.symbol) || short(address)} on ${nameOf(chain)}`
  return {
    title,
    content: [
      h(
        "h1",
        {},
        h("bdi", {}, known.name?.trim() || title),
        " (",
        h("bdi", {}, known.symbol?.trim() || "no symbol"),
        ")",
      ),
      h(
        "p",
        {},
        `${standard.toUpperCase().replace("ERC", "ERC-")} on ${nameOf(chain)}, `,
        addressLink(chain.chainId, address),
      ),
      head,
      plots,
      held,
      newest,
    ],
    paceMs: slowPaceMs,
    refresh,
  }
}

/** @param {import("./api.js").Chain} chain @param {any} token @param {string} call @param {string} standard */
const headOf = async (chain, token, call, standard) => {
  const audit = `/v2/status/audit?chainId=${chain.chainId}&tokenAddress=${token.address}`
  const audited = await read(audit).then(
    ({ items }) => stateOf(items.find((/** @type {any} */ it) => it.standard === standard)),
    // What nobody could say is not what nobody has compared.
    (fault) => ({ state: "–", note: fault.message }),
  )
  const block = blockOf(token)
  const shown = [
    ...(block === undefined ? [] : [["As of block", count(Number(block)), call]]),
    ["Price", dollarsOf18(token.price), call],
    ["Market capitalisation", dollarsOf18(token.marketCap), call],
    ["Supply", amount(token.totalSupply, token.decimals, 2), call],
    ["Holders", token.holdersCount === undefined ? "–" : count(token.holdersCount), call],
    ["Transfers in 24 h", token.transfers === undefined ? "–" : count(token.transfers.last24h), call],
    ["Created", token.createOperation === undefined ? "–" : time(token.createOperation.timestamp), call],
    ["Audit", audited.state, audit, audited.note],
  ]
  return figures(shown.map(([name, value, from, note]) => ({ name, value, call: from, note })))
}

/** What the audit says of a token; undefined = nothing. @param {any} found */
const stateOf = ({ state = "unverified", reason, blockNumber } = {}) => ({
  state,
  note: reason ?? (blockNumber === undefined ? undefined : `compared at block ${count(blockNumber)}`),
})

/** @param {import("./api.js").Chain} chain @param {any} token */
const supplyOf = (chain, token) => {
  const from = since(token, 30)
  const call = pathOf(chain, `/erc20/${token.address}/supply/history`, { timestampFrom: from, limit: 1000 })
  /** @param {number} time milliseconds @param {string | undefined} supply */
  const pointOf = (time, supply) => ({
    seconds: Math.floor(time / 1000),
    value: supply === undefined ? undefined : approximate(supply, token.decimals),
    text: amount(supply, token.decimals),
  })
  const present = token.totalSupply
  return readSection("Supply over time", call, ({ items, link }) => {
    const changes = items
      .map((/** @type {any} */ change) => ({ ...change, time: Date.parse(change.timestamp) }))
      .sort((/** @type {any} */ a, /** @type {any} */ b) => a.time - b.time)
    const first = changes[0]
    if (first === undefined)
      return note(`No change in 30 days${present === undefined ? "" : `: ${amount(present, token.decimals)}`}.`)
    // Of more changes than these, the first is not the first of all.
    const isBegun = link.nextToken === undefined && first.totalSupply !== undefined && first.time > Date.parse(from)
    const before = isBegun ? [pointOf(Date.parse(from), String(BigInt(first.totalSupply) - BigInt(first.change)))] : []
    const until = present === undefined ? [] : [pointOf(Math.max(Date.now(), changes.at(-1).time), present)]
    const drawn = changes.map((/** @type {any} */ { time, totalSupply }) => pointOf(time, totalSupply))
    const name = token.decimals === undefined ? "Supply, raw" : "Supply"
    return plot(name, [...before, ...drawn, ...until], { holds: true })
  })
}

/** @param {import("./api.js").Chain} chain @param {any} token */
const priceOf = (chain, token) => {
  const call = pathOf(chain, `/erc20/${token.address}/price/history`, {
    timestampFrom: since(token, 7),
    limit: 1000,
  })
  return overTime("Price over time", "Price", call, (point) => ({
    value: point.price === undefined ? undefined : approximate(point.price, 18),
    text: point.price === undefined ? "–" : dollars(decimalOf(point.price, 18)),
  }))
}

/** Not before the token was there. @param {any} token @param {number} days */
const since = (token, days) =>
  daysAgo(days, token.createOperation === undefined ? 0 : Date.parse(token.createOperation.timestamp))

/** The count of holders is asked of so many moments. */
const moments = 12

/** @param {import("./api.js").Chain} chain @param {any} token */
const holderCounts = async (chain, token) => {
  const from = Date.parse(since(token, 30))
  const step = Math.max((Date.now() - 60_000 - from) / (moments - 1), 1000)
  const calls = Array.from({ length: moments }, (_, at) => ({
    seconds: Math.floor((from + step * at) / 1000),
    call: pathOf(chain, `/erc20/${token.address}/holders`, {
      limit: 1,
      count: true,
      timestamp: Math.floor((from + step * at) / 1000),
    }),
  }))
  const points = await Promise.all(
    calls.map(({ seconds, call }) =>
      read(call).then(
        (answer) => ({ seconds, value: Number(answer.count), text: count(answer.count) }),
        () => ({ seconds, value: undefined, text: "–" }),
      ),
    ),
  )
  return section("Holders over time", calls.at(-1)?.call, plot("Holders", points))
}

/** @param {import("./api.js").Chain} chain @param {any} token @param {string} standard */
const holdersOf = (chain, token, standard) => {
  const call = pathOf(chain, `/${standard}/${token.address}/holders`, { limit: 100 })
  const ofIds = standard === "erc1155"
  const columns = [
    { head: "Holder" },
    ...(ofIds ? [{ head: "Id" }] : []),
    { head: "Balance", numeric: true },
    ...(ofIds ? [] : [{ head: "Share of the supply" }]),
  ]
  return listSection("Holders", call, "Nobody holds it.", (items) => [
    ...(ofIds ? [] : [distribution(items, call)].flat()),
    table(
      "The largest holders",
      columns,
      items
        .slice(0, 25)
        .map((item) => [
          addressLink(chain.chainId, item.address),
          ...(ofIds ? [item.tokenId] : []),
          amount(item.balance, standard === "erc20" ? token.decimals : 0),
          ...(ofIds ? [] : [share(item.percentage)]),
        ]),
    ),
  ])
}

/** Of a token in doubt, or one older than the ledger, the service gives none. @param {number | undefined} of */
const share = (of) =>
  of === undefined
    ? "–"
    : h("span", {}, h("meter", { min: "0", max: "1", value: String(of), "aria-label": percent(of) }), ` ${percent(of)}`)

/** None where a share is not known: sums without it would be too small. @param {ReadonlyArray<{ readonly percentage?: number }>} items @param {string} call */
const distribution = (items, call) => {
  const shares = items.flatMap(({ percentage }) => percentage ?? [])
  if (shares.length < items.length) return []
  const upTo = (/** @type {number} */ many) => shares.slice(0, many).reduce((sum, one) => sum + one, 0)
  const shown = [1, 10, 100].filter((many) => many === 1 || items.length > many / 10)
  return figures(
    shown.map((many) => ({
      name: many === 1 ? "The largest holder has" : `The largest ${Math.min(many, items.length)} have`,
      value: percent(Math.min(upTo(many), 1)),
      call,
    })),
  )
}

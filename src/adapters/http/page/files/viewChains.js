/** The view without parameters: how each chain is doing, what the audit has shown, and the tokens with most holders. */
import { nameOf, pathOf, read, readChains, readNetworks } from "./api.js"
import { figures, h, section, table, update } from "./dom.js"
import { count, duration, percent } from "./format.js"
import { tokensOf } from "./tokens.js"

/** @returns {Promise<import("./main.js").Shown>} */
export const chains = async () => {
  const state = h("div", {})
  const slow = h("div", {})
  const refresh = async (/** @type {boolean} */ whole) => {
    const [now, tokens, audit] = await Promise.all([readState(), whole ? topTokens() : [], whole ? auditFigures() : []])
    update(state, now)
    if (whole) update(slow, [...audit, ...tokens])
  }
  await refresh(true)
  return { title: "Chains", content: [h("h1", {}, "Chains"), state, slow], refresh }
}

const readState = async () => {
  const [{ status, chains: states }, known] = await Promise.all([read("/ready", { anyStatus: true }), readChains()])
  const rows = states.map((/** @type {any} */ state) => {
    const chain = known.find(({ chainId }) => chainId === state.chainId)
    return [
      h(
        "a",
        { href: `/?chain=${state.chainId}&q=${encodeURIComponent("*")}` },
        chain === undefined ? state.chainId : nameOf(chain),
      ),
      h("span", { class: state.ready ? "good" : "fault" }, state.ready ? "at the head" : phrase(state.phase)),
      state.lagBlocks === undefined ? "–" : count(state.lagBlocks),
      progressOf(state),
      state.indexedBlock === undefined ? "–" : count(state.indexedBlock),
      state.headBlock === undefined ? "–" : count(state.headBlock),
      h("span", { class: "wrap" }, wordsOf(state)),
    ]
  })
  const columns = [
    { head: "Chain" },
    { head: "State" },
    { head: "Behind", numeric: true },
    { head: "First sync" },
    { head: "Indexed", numeric: true },
    { head: "Head", numeric: true },
    { head: "What its nodes did" },
  ]
  return [section(`The service is ${status}`, "/ready", table("How each chain is doing", columns, rows))]
}

/** @param {string} phase */
const phrase = (phase) =>
  ({
    waiting: "waits for its node",
    backfill: "first sync",
    copying: "first sync: reading",
    deriving: "first sync: adding up",
    indexing: "first sync: indexes",
    live: "live, behind",
    standby: "another process follows it",
    stopped: "stopped",
  })[phase] ?? phase

/** @param {any} state */
const progressOf = ({ phase, done, indexedBlock, headBlock, firstBlock, secondsLeft, ready, logsPerSecond }) => {
  if (ready || phase === "live") return "done"
  const share =
    done ?? (headBlock > firstBlock ? ((indexedBlock ?? firstBlock) - firstBlock) / (headBlock - firstBlock) : 0)
  const left = secondsLeft === undefined ? "" : `, about ${duration(secondsLeft)} left`
  const words = `${percent(share)}${left}, ${count(logsPerSecond ?? 0)} logs a second`
  return h(
    "div",
    {},
    h("progress", { max: "1", value: String(share), "aria-label": words }, words),
    h("small", {}, words),
  )
}

/** @type {Readonly<Record<string, string>>} */
const faultWords = {
  behind: "a node had not what it had announced",
  fork: "blocks did not fit one another",
  logs: "logs were missing, or belonged elsewhere",
  receipts: "receipts were missing, or did not give their block's root",
  pruned: "a node answered for an old state with another one",
  order: "log indexes came twice or out of order",
  time: "a block was older than the one before it",
  chain: "a node was of another chain",
  genesis: "a node had another first block",
  call: "calls failed",
}

/** @param {any} state */
const wordsOf = ({ problem, faults = {}, reorgs, note }) => {
  const counted = Object.entries(faults)
    .filter(([, times]) => /** @type {number} */ (times) > 0)
    .map(([word, times]) => `${faultWords[word] ?? word} (${count(/** @type {number} */ (times))} times)`)
  const taken = reorgs === undefined ? [] : [`${count(reorgs.count)} reorgs, the deepest of ${reorgs.deepest} blocks`]
  const said = [problem, ...counted, ...taken, note].filter((text) => text !== undefined)
  return said.length === 0 ? "nothing amiss" : said.join("; ")
}

const states = ["exact", "rebasing", "drift", "unverified"]

const auditFigures = async () => {
  const calls = states.map((state) => `/v2/status/audit?state=${state}&limit=1&count=true`)
  const answers = await Promise.all(calls.map((call) => read(call).catch(() => undefined)))
  if (answers.every((answer) => answer === undefined)) return []
  return [
    section(
      "Tokens, by what comparing them with their contracts has shown",
      "/v2/status/audit",
      figures(
        states.map((state, at) => ({
          name: state,
          value: answers[at] === undefined ? "–" : count(answers[at].count),
          call: calls[at] ?? "",
        })),
      ),
    ),
  ]
}

const topTokens = async () =>
  Promise.all(
    (await readNetworks()).map((network) => {
      const call = pathOf({ network, chainId: "all" }, "/erc20", { sort: "holdersCount,desc", limit: 20 })
      return tokensOf(`ERC-20 tokens with most holders, ${network}`, call, "erc20")
    }),
  )

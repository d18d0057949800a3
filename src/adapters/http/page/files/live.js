/** Follows the chains: asks how they are every three seconds, and at once where the change feed says that something happened. */
import { key, pathOf, read, readNetworks } from "./api.js"
import { count } from "./format.js"

const pollMs = 3000
/** So often a view is brought up to date at most, however fast blocks come, unless it says how often itself. */
const refreshMs = 2000
/** The same of views that ask for several lists: not for each block of a fast chain. */
export const slowPaceMs = 6000
/** So often all of it is, plots and counts as well; after a reorg at once. */
const wholeMs = 120_000
const listenAgainMs = 5000
/** Instances count reorgs each by itself, and any may answer: after so many lower counts in a row it is a new process. */
const lowerCounts = 4

/**
 * @param {{ readonly live: HTMLElement | null, readonly status: HTMLElement | null }} places where the blocks are told, and what is worth interrupting somebody for
 * @param {{ readonly paceMs: () => number | undefined, readonly moved: (whole: boolean) => Promise<void> | void }} view `whole`: what changes slowly too, as after a reorg
 */
export const follow = ({ live, status }, { paceMs, moved }) => {
  let heads = ""
  // By a clock that only passes: the machine's may be set.
  let refreshed = Number.NEGATIVE_INFINITY
  /** When all of it was brought up to date; before all times: it is due. */
  let wholeAt = performance.now()
  let isRefreshing = false
  let answers = true
  /** The most that a process has told of. @type {number | undefined} */
  let reorgs
  let lower = 0
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let later
  /** @param {boolean} isNow */
  const say = (isNow) => {
    if (isNow === answers) return
    answers = isNow
    if (status !== null) status.textContent = isNow ? "The service answers again." : silence
  }
  /** @param {ReadonlyArray<{ readonly chainId: string, readonly indexedBlock?: number, readonly done?: number, readonly reorgs?: { readonly count: number } }>} chains */
  const tell = (chains) => {
    say(true)
    const told = chains
      .slice(0, 5)
      .map(
        ({ chainId, indexedBlock }) =>
          `chain ${chainId} at block ${indexedBlock === undefined ? "–" : count(indexedBlock)}`,
      )
    // Before all that follows: after an outage there may be no further block for long.
    const line = `Live: ${told.join(", ")}${chains.length > 5 ? `, and ${chains.length - 5} more` : ""}.`
    if (live !== null && live.textContent !== line) live.textContent = line
    const counted = chains.reduce((sum, chain) => sum + (chain.reorgs?.count ?? 0), 0)
    // The feed tells of few: it has no rows of transfers, nor what takes these back.
    if (reorgs !== undefined && counted > reorgs) wholeAt = Number.NEGATIVE_INFINITY
    lower = reorgs !== undefined && counted < reorgs ? lower + 1 : 0
    if (reorgs === undefined || counted > reorgs || lower === lowerCounts) reorgs = counted
    const now = JSON.stringify(chains.map(({ chainId, indexedBlock, done }) => [chainId, indexedBlock, done]))
    if ((now === heads && Number.isFinite(wholeAt)) || document.hidden) return
    const rest = refreshed + (paceMs() ?? refreshMs) - performance.now()
    if (rest > 0 || isRefreshing) {
      clearTimeout(later)
      later = setTimeout(look, Math.max(rest, 100))
      return
    }
    heads = now
    refreshed = performance.now()
    const whole = performance.now() - wholeAt > wholeMs
    if (whole) wholeAt = performance.now()
    isRefreshing = true
    // What cannot be refreshed now is at the next block.
    Promise.resolve(moved(whole))
      .catch(() => {})
      .finally(() => {
        isRefreshing = false
      })
  }
  const fallSilent = () => {
    say(false)
    if (live !== null) live.textContent = silence
  }
  const look = () =>
    read("/ready", { anyStatus: true }).then(
      // Without chains it is another's answer, or one of a service that was told of none.
      ({ chains }) => (chains?.length > 0 ? tell(chains) : fallSilent()),
      (fault) => {
        if (fault?.name !== "AbortError") fallSilent()
      },
    )
  const lookIfSeen = () => {
    if (!document.hidden) look()
  }
  setInterval(lookIfSeen, pollMs)
  document.addEventListener("visibilitychange", lookIfSeen)
  look()
  const hear = () => {
    // Until then what is asked every three seconds says it all.
    listen((kind) => {
      if (kind === "retract") wholeAt = Number.NEGATIVE_INFINITY
      lookIfSeen()
    }).catch(() => setTimeout(hear, listenAgainMs))
  }
  hear()
}

const silence = "The service does not answer at the moment."

/**
 * The feed says when; what is told is read as always. One feed serves all tabs: a browser allows so few connections to a
 * server that a feed for each tab would leave none to read by.
 * @param {(kind: string) => void} heard
 */
const listen = async (heard) => {
  if (typeof SharedWorker === "undefined") return
  const networks = await readNetworks()
  const paths = networks.map((network) =>
    pathOf({ network, chainId: "all" }, "/events", { kinds: "token", apikey: key.get() }),
  )
  const { port } = new SharedWorker(new URL("feed.js", import.meta.url), { name: JSON.stringify(paths) })
  port.onmessage = ({ data }) => heard(data)
}

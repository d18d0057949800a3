/** Follows the chains: by the change feed where the service has it, else by asking how they are every three seconds. */
import { key, pathOf, read, readNetworks } from "./api.js"
import { count } from "./format.js"

const pollMs = 3000
/** So often a view is brought up to date at most, however fast blocks come. */
const refreshMs = 2000

/**
 * @param {HTMLElement | null} place where it is said
 * @param {() => Promise<void> | void} moved
 */
export const follow = (place, moved) => {
  let heads = ""
  let refreshed = 0
  /** @param {ReadonlyArray<{ readonly chainId: string, readonly indexedBlock?: number, readonly done?: number }>} chains */
  const tell = (chains) => {
    const now = JSON.stringify(chains.map(({ chainId, indexedBlock, done }) => [chainId, indexedBlock, done]))
    if (now === heads || Date.now() - refreshed < refreshMs || document.hidden) return
    heads = now
    refreshed = Date.now()
    const told = chains
      .slice(0, 5)
      .map(
        ({ chainId, indexedBlock }) =>
          `chain ${chainId} at block ${indexedBlock === undefined ? "–" : count(indexedBlock)}`,
      )
    if (place !== null)
      place.textContent = `Live: ${told.join(", ")}${chains.length > 5 ? `, and ${chains.length - 5} more` : ""}.`
    // What cannot be refreshed now is at the next block.
    Promise.resolve(moved()).catch(() => {})
  }
  const look = () =>
    read("/ready", { anyStatus: true }).then(
      ({ chains }) => tell(chains),
      () => {
        if (place !== null) place.textContent = "The service does not answer at the moment."
      },
    )
  let waiting = setInterval(look, pollMs)
  look()
  listen(look, (millis) => {
    clearInterval(waiting)
    waiting = setInterval(look, millis)
  })
}

/**
 * The feed says when; what is told is read as always. While it speaks nobody asks but once in a while.
 * @param {() => void} look @param {(millis: number) => void} pace
 */
const listen = async (look, pace) => {
  for (const network of await readNetworks()) {
    const path = pathOf({ network, chainId: "all" }, "/events", { kinds: "token", apikey: key.get() })
    const feed = new EventSource(path)
    feed.addEventListener("open", () => pace(pollMs * 5))
    feed.addEventListener("error", () => pace(pollMs))
    for (const kind of ["finalized", "retract", "heartbeat", "token"]) feed.addEventListener(kind, look)
  }
}

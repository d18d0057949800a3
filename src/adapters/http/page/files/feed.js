/** A worker that all tabs share: it holds the change feed, one stream a network, and tells each tab what kind of thing came. */

/** @type {Set<MessagePort>} */
const tabs = new Set()
addEventListener("connect", (event) => {
  for (const port of /** @type {MessageEvent} */ (event).ports) tabs.add(port)
})

const firstWaitMs = 2000
const longestWaitMs = 60_000

/** @param {string} path @param {number} waitMs until it is opened again where it is refused */
const listen = (path, waitMs) => {
  let nextMs = waitMs
  const feed = new EventSource(path)
  for (const kind of ["finalized", "retract", "heartbeat", "token"])
    feed.addEventListener(kind, () => {
      for (const tab of tabs) tab.postMessage(kind)
    })
  feed.addEventListener("open", () => {
    nextMs = firstWaitMs
  })
  feed.addEventListener("error", () => {
    // A connection that is lost comes back by itself, one that was refused does not.
    if (feed.readyState !== EventSource.CLOSED) return
    setTimeout(() => listen(path, Math.min(nextMs * 2, longestWaitMs)), nextMs)
  })
}

/** Its name says the paths of the feeds. */
for (const path of JSON.parse(self.name)) listen(path, firstWaitMs)

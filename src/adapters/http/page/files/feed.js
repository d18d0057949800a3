/** A worker that all tabs share: it holds the change feed, one stream a network, and tells each tab what kind of thing came. */

/** @type {Set<MessagePort>} */
const tabs = new Set()
addEventListener("connect", (event) => {
  for (const port of /** @type {MessageEvent} */ (event).ports) tabs.add(port)
})

/** Its name says the paths of the feeds. */
for (const path of JSON.parse(self.name)) {
  const feed = new EventSource(path)
  for (const kind of ["finalized", "retract", "heartbeat", "token"])
    feed.addEventListener(kind, () => {
      for (const tab of tabs) tab.postMessage(kind)
    })
}

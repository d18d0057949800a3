/** The page: which view a URL is, how one follows another without loading anew, and what is told as blocks arrive. */
import { chainOf, key, leaveView, wantsKey, withKey } from "./api.js"
import { h, refusal } from "./dom.js"
import { follow } from "./live.js"
import { address } from "./viewAddress.js"
import { chains } from "./viewChains.js"
import { search } from "./viewSearch.js"
import { token } from "./viewToken.js"

/** @typedef {{ readonly parameters: URLSearchParams, readonly chain: import("./api.js").Chain, readonly go: (changes: Record<string, string | undefined>, options?: { readonly replaces?: boolean }) => void }} View */
/** @typedef {{ readonly title: string, readonly content: ReadonlyArray<Node>, readonly paceMs?: number, readonly refresh?: (whole: boolean) => Promise<void> }} Shown `paceMs`: between two refreshes; `whole`: what changes slowly too */

const main = /** @type {HTMLElement} */ (document.getElementById("main"))
const field = /** @type {HTMLInputElement} */ (document.getElementById("q"))

/** @param {URLSearchParams} parameters */
const viewOf = (parameters) => {
  if (parameters.has("token")) return token
  if (parameters.has("address")) return address
  return parameters.get("q") ? search : chains
}

/** @type {Shown} */
const nothing = { title: "", content: [] }
/** @type {Shown | undefined} */
let shown
let turn = 0
/** Of the view that is shown, or will be. */
let asked = ""

/** @param {{ readonly keepsPlace?: boolean }} [options] `keepsPlace`: the focus stays where it is */
const show = async ({ keepsPlace = false } = {}) => {
  const mine = ++turn
  leaveView()
  asked = location.search
  const parameters = new URLSearchParams(asked)
  field.value = parameters.get("q") ?? ""
  main.setAttribute("aria-busy", "true")
  /** @type {Shown} */
  const made = await chainOf(parameters.get("chain"))
    // Of a view that was left while the chains were read, nothing is.
    .then((chain) => (mine === turn ? viewOf(parameters)({ parameters, chain, go }) : nothing))
    .catch((fault) => ({
      title: "Not found",
      content: [h("h1", {}, "That could not be shown"), refusal(fault)],
    }))
  if (mine !== turn) return
  shown = made
  document.title = `${made.title} · Cowry`
  main.replaceChildren(...(wantsKey() ? [askKey()] : []), ...made.content)
  main.removeAttribute("aria-busy")
  if (!keepsPlace) main.focus({ preventScroll: true })
  if (!keepsPlace) scrollTo(0, 0)
}

/**
 * Another URL of this page: of `changes` those that are undefined are left out.
 * @param {Record<string, string | undefined>} changes @param {{ readonly replaces?: boolean }} [options] `replaces`: it takes the place of this one
 */
const go = (changes, { replaces = false } = {}) => {
  const parameters = new URLSearchParams(location.search)
  for (const [name, value] of Object.entries(changes))
    value === undefined ? parameters.delete(name) : parameters.set(name, value)
  if (replaces) history.replaceState({}, "", `/?${parameters}`)
  else history.pushState({}, "", `/?${parameters}`)
  return show({ keepsPlace: true })
}

/** The feed is opened anew with it, too. */
const askKey = () => {
  const input = h("input", { id: "key", type: "password", autocomplete: "off" })
  const submit = (/** @type {Event} */ event) => {
    event.preventDefault()
    key.set(/** @type {HTMLInputElement} */ (input).value.trim())
    location.reload()
  }
  return h(
    "form",
    { onsubmit: submit },
    h("label", { for: "key" }, "API key, kept in this tab alone"),
    input,
    h("button", {}, "Use it"),
  )
}

for (const kind of ["click", "auxclick"])
  document.addEventListener(kind, (event) => {
    const link = event.target instanceof Element ? event.target.closest("a") : null
    if (link?.origin !== location.origin || !link.pathname.startsWith("/v2/")) return
    const href = link.getAttribute("href") ?? ""
    link.href = withKey(href)
    // Once the browser has gone there: the key is in the page no longer than that, and the link is the same one to `update`.
    setTimeout(() => link.setAttribute("href", href))
  })

document.addEventListener("click", (event) => {
  const link = event.target instanceof Element ? event.target.closest("a") : null
  if (link === null || event.defaultPrevented || event.button !== 0 || event.metaKey || event.ctrlKey || event.shiftKey)
    return
  if (link.origin !== location.origin || link.pathname !== "/" || link.hash !== "") return
  event.preventDefault()
  history.pushState({}, "", link.href)
  show()
})
document.querySelector("search form")?.addEventListener("submit", (event) => {
  event.preventDefault()
  history.pushState({}, "", field.value.trim() === "" ? "/" : `/?${new URLSearchParams({ q: field.value.trim() })}`)
  show()
})
document.addEventListener("keydown", (event) => {
  const typing = event.target instanceof HTMLElement && event.target.matches("input, select, textarea")
  if (event.key !== "/" || typing || event.ctrlKey || event.metaKey || event.altKey) return
  event.preventDefault()
  field.focus()
})
window.addEventListener("popstate", () => {
  // To a place within the view: it stays.
  if (location.search !== asked) show()
})
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => show({ keepsPlace: true }))

await show()
follow(
  { live: document.getElementById("live"), status: document.getElementById("status") },
  { paceMs: () => shown?.paceMs, moved: (whole) => shown?.refresh?.(whole) },
)

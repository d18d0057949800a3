/** Elements of the page: made by one function, text is always text. */

/**
 * An element. Attributes whose value is undefined or false are left out, of `on…` the value is a listener.
 * @param {string} name
 * @param {Record<string, unknown>} attributes
 * @param {...(Node | string | undefined | ReadonlyArray<Node | string | undefined>)} children
 * @returns {HTMLElement}
 */
export const h = (name, attributes = {}, ...children) => {
  const element = document.createElement(name)
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue
    if (typeof value === "function") element.addEventListener(key.slice(2), /** @type {EventListener} */ (value))
    else element.setAttribute(key, value === true ? "" : String(value))
  }
  element.append(...children.flat().filter((child) => child !== undefined))
  return element
}

/**
 * A table that scrolls sideways where it must. Cells of `numeric` columns stand to the right.
 * @param {string} caption What it shows, for those who do not see it.
 * @param {ReadonlyArray<{ readonly head: string, readonly numeric?: boolean }>} columns
 * @param {ReadonlyArray<ReadonlyArray<Node | string>>} rows
 */
export const table = (caption, columns, rows) =>
  h(
    "div",
    { class: "scroll", tabindex: "0", role: "group", "aria-label": caption },
    h(
      "table",
      {},
      h("caption", { class: "unseen" }, caption),
      h(
        "thead",
        {},
        h("tr", {}, ...columns.map(({ head, numeric }) => h("th", { scope: "col", class: numeric && "number" }, head))),
      ),
      h(
        "tbody",
        {},
        ...rows.map((row) =>
          h("tr", {}, ...row.map((cell, at) => h("td", { class: columns[at]?.numeric && "number" }, cell))),
        ),
      ),
    ),
  )

/**
 * A part of the page with its heading, and the call of the API that gave it.
 * @param {string} title
 * @param {string | undefined} call
 * @param {...(Node | string)} children
 */
export const section = (title, call, ...children) =>
  h(
    "section",
    { "aria-label": title },
    h("h2", {}, title, call === undefined ? undefined : apiLink(call, title)),
    ...children,
  )

/** @param {string} call @param {string} what */
const apiLink = (call, what) => h("a", { class: "api", href: call, "aria-label": `API call of: ${what}` }, "API")

/**
 * Figures with their names; each is a link to the call that gave it.
 * @param {ReadonlyArray<{ readonly name: string, readonly value: string, readonly call: string, readonly note?: string | undefined }>} figures
 */
export const figures = (figures) =>
  h(
    "dl",
    { class: "figures" },
    ...figures.map(({ name, value, call, note }) =>
      h(
        "div",
        {},
        h("dt", {}, name),
        h(
          "dd",
          {},
          h("a", { href: call, title: "The API call that gave this figure" }, value),
          note && h("small", {}, note),
        ),
      ),
    ),
  )

/**
 * Makes what `place` holds what is wanted, and leaves alone all that is so already: where somebody has scrolled to, has
 * selected or reads. Not where the link that has the focus would become another one, nor under a selection: neither shall
 * change under the hand.
 * @param {Element} place @param {ReadonlyArray<Node>} wanted
 */
export const update = (place, wanted) => {
  const { activeElement } = document
  const selection = getSelection()
  const isMoved =
    activeElement?.matches("a, button, summary") &&
    place.contains(activeElement) &&
    !isSame(activeElement, sameIn(place, wanted, activeElement))
  const isSelected = selection !== null && !selection.isCollapsed && place.contains(selection.anchorNode)
  if (!isMoved && !isSelected) patch(place, wanted)
}

/** What stands in `wanted` where `element` stands in `place`. @param {Element} place @param {ReadonlyArray<Node>} wanted @param {Element} element @returns {Node | undefined} */
const sameIn = (place, wanted, element) => {
  const { parentNode } = element
  if (parentNode === null) return undefined
  const at = [...parentNode.childNodes].indexOf(element)
  if (parentNode === place) return wanted[at]
  return sameIn(place, wanted, /** @type {Element} */ (parentNode))?.childNodes[at]
}

/** @param {Element} element @param {Node | undefined} other */
const isSame = (element, other) =>
  other instanceof Element &&
  other.nodeName === element.nodeName &&
  other.getAttribute("href") === element.getAttribute("href")

/** @param {Node} place @param {ReadonlyArray<Node>} wanted */
const patch = (place, wanted) => {
  const there = [...place.childNodes]
  for (const [at, node] of wanted.entries()) {
    const old = there[at]
    if (old === undefined) place.appendChild(node)
    else if (old.nodeName !== node.nodeName || pointsOf(old) !== pointsOf(node)) place.replaceChild(node, old)
    else if (old instanceof Element && node instanceof Element) {
      if (pointsOf(old) === undefined) patchElement(old, node)
    } else if (old.textContent !== node.textContent) old.textContent = node.textContent
  }
  for (const old of there.slice(wanted.length)) place.removeChild(old)
}

/** @param {Element} old @param {Element} node */
const patchElement = (old, node) => {
  // Whether details are open is the reader's.
  for (const { name } of [...old.attributes]) if (!node.hasAttribute(name) && name !== "open") old.removeAttribute(name)
  for (const { name, value } of node.attributes) if (old.getAttribute(name) !== value) old.setAttribute(name, value)
  patch(old, [...node.childNodes])
}

/** What a plot shows: drawn anew only where that is something else. @param {Node} node */
const pointsOf = (node) => (node instanceof HTMLElement ? node.dataset.points : undefined)

/** @param {string} text */
export const note = (text) => h("p", { class: "note" }, text)

/** @param {unknown} fault */
export const refusal = (fault) =>
  h("p", { class: "fault", role: "alert" }, fault instanceof Error ? fault.message : String(fault))

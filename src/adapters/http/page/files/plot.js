/** A figure over time: a plot by uPlot, and the same as a table for those who do not see it. */
import { h, table } from "./dom.js"
import { time } from "./format.js"
import { readSection } from "./readSection.js"

/** @typedef {{ readonly seconds: number, readonly value: number | undefined, readonly text: string }} Point */

/**
 * @param {string} title
 * @param {ReadonlyArray<Point>} points by time; `text` is the exact figure, `value` what is drawn
 * @param {{ readonly holds?: boolean }} [options] `holds`: each figure is so until the next
 */
export const plot = (title, points, { holds = false } = {}) => {
  const known = points.filter(({ value }) => value !== undefined)
  const first = known[0]
  const last = known.at(-1)
  if (first === undefined || last === undefined) return h("p", { class: "note" }, `${title}: nothing is known.`)
  const place = h("div", {
    class: "plot",
    "data-points": points.map(({ seconds, text }) => `${seconds} ${text}`).join(),
    role: "img",
    "aria-label": `${title}: from ${first.text} at ${time(first.seconds * 1000)} to ${last.text} at ${time(last.seconds * 1000)}`,
  })
  draw(place, title, points, holds)
  return h(
    "div",
    {},
    place,
    h(
      "details",
      {},
      h("summary", {}, `${title} as a table`),
      table(
        title,
        [{ head: "Time (UTC)" }, { head: title, numeric: true }],
        points.map(({ seconds, text }) => [time(seconds * 1000), text]),
      ),
    ),
  )
}

/** @param {HTMLElement} place @param {string} title @param {ReadonlyArray<Point>} points @param {boolean} holds */
const draw = (place, title, points, holds) => {
  const colours = getComputedStyle(document.documentElement)
  const ink = colours.getPropertyValue("--ink").trim()
  const line = colours.getPropertyValue("--accent").trim()
  const grid = { stroke: colours.getPropertyValue("--line").trim(), width: 1 }
  const height = 220
  const steps = holds ? uPlot.paths.stepped?.({ align: 1 }) : undefined
  const paths = steps === undefined ? {} : { paths: steps }
  const make = () =>
    new uPlot(
      {
        width: Math.max(place.clientWidth, 240),
        height,
        legend: { show: false },
        cursor: { y: false },
        axes: [
          { stroke: ink, grid, ticks: grid },
          { stroke: ink, grid, ticks: grid, size: 70, values: (_, splits) => splits.map(compact) },
        ],
        series: [{}, { label: title, stroke: line, width: 2, spanGaps: false, ...paths }],
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "UTC"),
      },
      [points.map(({ seconds }) => seconds), points.map(({ value }) => value ?? null)],
      place,
    )
  // It has no width before it is on the page; each width is drawn anew.
  let drawn = 0
  /** @type {uPlot | undefined} */
  let made
  new ResizeObserver(() => {
    if (place.clientWidth === 0 || place.clientWidth === drawn) return
    drawn = place.clientWidth
    if (made === undefined) made = make()
    else made.setSize({ width: drawn, height })
  }).observe(place)
}

const form = new Intl.NumberFormat("en", { notation: "compact", maximumSignificantDigits: 4 })
/** @param {number} value */
const compact = (value) => form.format(value)

const day = 86_400_000

/**
 * The points that one call gives.
 * @param {string} heading
 * @param {string} name what is plotted
 * @param {string} call a list of records with a `timestamp`
 * @param {(record: any) => { readonly value: number | undefined, readonly text: string }} figureOf
 */
export const overTime = (heading, name, call, figureOf) =>
  readSection(heading, call, ({ items }) => {
    const points = items.map((/** @type {any} */ record) => ({
      seconds: Date.parse(record.timestamp) / 1000,
      ...figureOf(record),
    }))
    return plot(
      name,
      points.sort((/** @type {any} */ a, /** @type {any} */ b) => a.seconds - b.seconds),
    )
  })

/** A time of so many days ago, not before `earliest`. @param {number} days @param {number} [earliest] milliseconds */
export const daysAgo = (days, earliest = 0) =>
  new Date(Math.max(Date.now() - days * day, earliest)).toISOString().replace(/\.\d+/, "")

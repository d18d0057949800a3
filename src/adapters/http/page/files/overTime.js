/** A figure through time: the points that one call gives, as a plot and a table. */
import { plot } from "./plot.js"
import { readSection } from "./readSection.js"

const day = 86_400_000

/**
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

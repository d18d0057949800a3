/** A part of the page that one call gives: what it answered, or why it did not. */
import { blockOf, read } from "./api.js"
import { note, refusal, section } from "./dom.js"
import { count } from "./format.js"

/**
 * @param {string} title
 * @param {string} call
 * @param {(answer: any) => Node | ReadonlyArray<Node>} show
 * @param {string} [asked] the block that the call asks for: the answer names the newest that was read
 */
export const readSection = async (title, call, show, asked) => {
  try {
    const answer = await read(call)
    const block = asked ?? blockOf(answer)
    const asOf = block === undefined ? [] : [note(`As of block ${count(Number(block))}.`)]
    return section(title, call, ...[show(answer)].flat(), ...asOf)
  } catch (fault) {
    return section(title, call, refusal(fault))
  }
}

/**
 * The same of a list; `none` is said where it is empty.
 * @param {string} title
 * @param {string} call
 * @param {string} none
 * @param {(items: ReadonlyArray<any>) => Node | ReadonlyArray<Node>} show
 */
export const listSection = (title, call, none, show) =>
  readSection(title, call, ({ items }) => (items.length === 0 ? note(none) : show(items)))

/** Words from outside as they may be printed: on one line, without anything that a terminal obeys or the eye does not see. */

/** Control and format characters (direction, zero width), separators of lines, halves of surrogate pairs. */
const unseen = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

const short: Readonly<Record<string, string>> = { "\t": "\\t", "\n": "\\n", "\r": "\\r" }

/** Each such character as JSON has it: `\n`, `\u001b`, `\u202e`. A backslash stays as it is. */
export const printable = (text: string): string =>
  /^[ -~]*$/.test(text) ? text : text.replace(unseen, (character) => short[character] ?? escapeOf(character))

/** Those beyond U+FFFF as their two halves. */
const escapeOf = (character: string): string => {
  let escaped = ""
  for (let place = 0; place < character.length; place++) {
    escaped += `\\u${character.charCodeAt(place).toString(16).padStart(4, "0")}`
  }
  return escaped
}

/** The first so many characters of it, without half of one that takes two. */
export const beginningOf = (text: string, most: number): string => text.slice(0, most).replace(/\p{Cs}$/u, "")

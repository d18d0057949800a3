/** What is kept of what contracts answer. A part of a text keeps all of it in memory, and an answer may have megabytes: so parts are copied. */

/** Characters of an answer that says something: eight times those of the longest URI that is kept. */
const longestAnswer = 2 + 2 * 64 * 1024

/** "0x", as of a contract that says nothing, for an answer of more than 64 kB: no honest one has as much. */
export const answerOf = (data: string): string => (data.length > longestAnswer ? "0x" : copyOf(data))

/** Two words and the mark of what is longer. */
export const wordsOf = (data: string): string => copyOf(data.slice(0, 2 + 2 * 64 + 2))

/** Of hex text. */
const copyOf = (text: string): string => Buffer.from(text, "latin1").toString("latin1")

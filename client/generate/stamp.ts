/** How a generated file says from which document it is made, and that nobody has changed it since. */

const head = (from: string, text: string): string =>
  `/** Types of the service's answers, made by \`bun run client:types\` from its OpenAPI document. */\n// document ${from}\n// text ${text}\n`

/** `digest`: SHA-256 in hex. */
export const stamped = (document: string, text: string, digest: (text: string) => string): string =>
  head(digest(document), digest(text)) + text

/** Whether `file` is what was made of `document`, untouched. */
export const isMadeOf = (file: string, document: string, digest: (text: string) => string): boolean => {
  const text = file.split("\n").slice(3).join("\n")
  return file === stamped(document, text, digest)
}

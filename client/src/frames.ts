/** Server-sent events, as the standard has them, of lines that come in pieces. */

export interface Frame {
  readonly event: string
  readonly data: string
  /** The newest that was told; undefined = none yet. */
  readonly id: string | undefined
}

/** `line` by line, without its end; gives the frame that an empty line closes. */
export const frameReader = (): ((line: string) => Frame | undefined) => {
  let id: string | undefined
  let event = ""
  let data: Array<string> = []
  let isFirst = true
  return (line) => {
    // A line may end with CR LF, a stream may begin with a byte order mark.
    const text = (isFirst ? line.replace(/^\uFEFF/, "") : line).replace(/\r$/, "")
    isFirst = false
    if (text === "") {
      const frame = data.length === 0 ? undefined : { event: event || "message", data: data.join("\n"), id }
      event = ""
      data = []
      return frame
    }
    const colon = text.indexOf(":")
    const name = colon === -1 ? text : text.slice(0, colon)
    const value = colon === -1 ? "" : text.slice(colon + 1).replace(/^ /, "")
    if (name === "data") data.push(value)
    if (name === "event") event = value
    if (name === "id" && !value.includes("\0")) id = value
    return undefined
  }
}

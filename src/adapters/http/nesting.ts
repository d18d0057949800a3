/** How deep JSON is nested, told before it is parsed: a runtime parses what it can neither write nor walk through. */

/** More than anything has that is taken here. */
export const mostNested = 64

const [quote, backslash] = [34, 92]
const [openList, closeList, openObject, closeObject] = [91, 93, 123, 125]

/** Of a text that is no JSON it says nothing. */
export const isTooDeep = (json: string): boolean => {
  let depth = 0
  let isText = false
  for (let at = 0; at < json.length; at++) {
    const code = json.charCodeAt(at)
    if (isText) {
      if (code === backslash) at++
      else if (code === quote) isText = false
    } else if (code === quote) isText = true
    else if (code === openList || code === openObject) {
      if (++depth > mostNested) return true
    } else if (code === closeList || code === closeObject) depth--
  }
  return false
}

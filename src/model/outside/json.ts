/** Texts from outside that should be JSON. */

/** What it says; undefined = it is none. */
export const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Parts of URLs that others wrote. */

/** As a text; one with a bad percent escape as it stands. */
export const percentDecoded = (text: string): string => {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

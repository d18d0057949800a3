/** Parts of URLs that others wrote. */

/** As a text; one with a bad percent escape as it stands. */
export const percentDecoded = (text: string): string => {
  if (!text.includes("%")) return text
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

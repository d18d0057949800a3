/** Where a document is, taken apart so that secrets of its URL stay out of every text. */
import { percentDecoded } from "../../model/outside/percentDecoded.ts"
import { Refusal } from "./refusal.ts"

export interface Place {
  readonly url: string
  /** Scheme and host: all that may be shown. */
  readonly label: string
  /** User and password of the URL as basic authorization. */
  readonly headers: Readonly<Record<string, string>>
}

/** undefined for what is no http: or https: URL. */
export const placeOf = (text: string, base?: string): Place | undefined => {
  if (!URL.canParse(text, base)) return undefined
  const url = new URL(text, base)
  if (url.protocol !== "http:" && url.protocol !== "https:") return undefined
  const { username, password } = url
  const basic = Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`, "utf8").toString("base64")
  url.username = ""
  url.password = ""
  return {
    url: url.href,
    label: `${url.protocol}//${url.host}`,
    headers: username === "" && password === "" ? {} : { authorization: `Basic ${basic}` },
  }
}

/** Where a redirect leads; throws a `Refusal` for one that may not be followed. User and password stay with their host. */
export const redirected = (from: Place, location: string | null): Place => {
  const to = location === null ? undefined : placeOf(location, from.url)
  if (to === undefined) throw new Refusal("it redirects to something other than http:// or https://")
  if (from.url.startsWith("https:") && !to.url.startsWith("https:")) {
    throw new Refusal("it redirects from https:// to http://")
  }
  return to.label === from.label ? { ...to, headers: { ...from.headers, ...to.headers } } : to
}

/** A node's URL, and how its secrets stay out of every text. */
import { percentDecoded } from "../../../model/outside/percentDecoded.ts"
import { beginningOf, printable } from "../../../model/printable.ts"

/** A node's URL, taken apart so that its secrets stay out of every text. */
export interface Endpoint {
  readonly url: string
  /** Scheme and host: all that may be shown. */
  readonly label: string
  readonly headers: Readonly<Record<string, string>>
  /** When it last answered, steady milliseconds. */
  heardAt?: number
  /** Parts of the URL that texts of the node or of fetch could repeat, longest first: one may hold another. */
  readonly secrets: ReadonlyArray<string>
}

/** Throws an error that does not repeat the URL. User and password become a basic `authorization` header. */
export const endpointOf = (text: string): Endpoint => {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    throw new Error("a node's URL must be http:// or https:// (it is not shown, it may hold a secret)")
  }
  const { username, password } = url
  const basic = Buffer.from(`${percentDecoded(username)}:${percentDecoded(password)}`, "utf8").toString("base64")
  const parts = [...url.pathname.split("/"), ...queryPartsOf(url.search.slice(1)), username, password, basic]
  url.username = ""
  url.password = ""
  return {
    url: url.href,
    label: `${url.protocol}//${url.host}`,
    headers: {
      "content-type": "application/json",
      ...(username === "" && password === "" ? {} : { authorization: `Basic ${basic}` }),
    },
    secrets: [...new Set(parts.flatMap(formsOf))]
      .filter((secret) => secret.length >= 4)
      .sort((a, b) => b.length - a.length),
  }
}

/** Values as they are written; a name without a value is one. */
const queryPartsOf = (query: string): ReadonlyArray<string> =>
  query.split("&").map((part) => {
    const [, name = "", value = ""] = /^([^=]*)=?(.*)$/su.exec(part) ?? []
    return value === "" ? name : value
  })

/** Whoever repeats a part of a URL may have decoded it, a plus as a blank too, or encoded it anew. */
const formsOf = (part: string): ReadonlyArray<string> => {
  const decoded = [percentDecoded(part), percentDecoded(part.replaceAll("+", " "))]
  return [part, ...decoded, ...decoded.map(encodeURIComponent)]
}

/** Characters of what may be megabytes: far more than are shown, so that none of a secret at their end is. */
const mostLookedAt = 10_000

/** Characters. What is read of it stands at its end as well: the range that a node proposes follows some 300 of advice. */
const mostShown = 600

/** What the node says, shortened, on one line, and without what the URL keeps secret. */
export const redact = ({ secrets }: Endpoint, text: string): string => {
  const clean = secrets.reduce(
    (rest, secret) => withoutBeginnings(rest.replaceAll(secret, "…"), secret),
    printable(beginningOf(text, mostLookedAt)),
  )
  return clean.length > mostShown ? `${beginningOf(clean, mostShown)}…` : clean
}

/** A text that was cut may end in the beginning of a secret. */
const withoutBeginnings = (text: string, secret: string): string => {
  for (let length = secret.length - 1; length >= 4; length--) {
    const beginning = `${secret.slice(0, length)}…`
    if (text.includes(beginning)) return text.replaceAll(beginning, "…")
  }
  return text
}

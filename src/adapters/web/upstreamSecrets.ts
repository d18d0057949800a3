/** Whether an upstream's answer repeats what is secret: its key, or what else its URL keeps. Pure. */
import { percentDecoded } from "../../model/outside/percentDecoded.ts"
import { placeOf } from "./place.ts"

/** As they stand, and in the forms in which a URL or a header has them; in lower case. */
export const secretsOf = (url: string, key: string | undefined): ReadonlyArray<string> => {
  const { pathname, username, password } = new URL(url)
  const basic = placeOf(url)?.headers.authorization?.replace("Basic ", "") ?? ""
  const own = [key ?? "", password, username, ...pathname.split("/").filter(isLikeKey)].filter(isLong)
  const forms = [...own, basic].flatMap((secret) => [
    secret,
    encodeURIComponent(secret),
    percentDecoded(secret),
    btoa(secret),
  ])
  return [...new Set(forms.filter(isLong).map((secret) => secret.toLowerCase()))]
}

/** Shorter ones stand in answers by chance. */
const isLong = (text: string): boolean => text.length >= 8

/** Some providers have the key in the path. Names of networks and versions are no keys. */
const isLikeKey = (segment: string): boolean => segment.length >= 16 && /\d/.test(segment) && /[a-z]/i.test(segment)

/** `value`: the text as parsed, in which every letter stands for itself. */
export const holdsSecret = (text: string, value: unknown, secrets: ReadonlyArray<string>): boolean => {
  if (secrets.length === 0) return false
  const forms = [text.toLowerCase(), ...(text.includes("\\") ? [JSON.stringify(value).toLowerCase()] : [])]
  return secrets.some((secret) => forms.some((form) => form.includes(secret)))
}

/** Asks over HTTP, and holds validators to their word: the same tag is the same body, and 304 says that nothing is new. */
import { short } from "./compare.ts"

export interface Answer {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}

type Check = (path: string, what: string | undefined, answer: Answer) => void

/** Answers by path of which the tag is remembered. */
const mostTags = 3000

export class Client {
  private readonly tags = new Map<string, Map<string, string>>()

  constructor(
    private readonly url: string,
    private readonly check: Check,
  ) {}

  /** `twice`: asked again at once with the tag that came; what the second answer says then counts. */
  async fetch(path: string, headers: Readonly<Record<string, string>> = {}, twice = false): Promise<Answer> {
    const first = await this.fetchOnce(path, headers)
    const tag = first.headers.get("etag")
    if (tag === null || !twice) return first
    const second = await this.fetchOnce(path, { ...headers, "if-none-match": tag })
    if (second.status !== 304) return second
    const isSame = second.headers.get("etag") === tag && second.text === ""
    this.check(path, isSame ? undefined : "304 with another tag, or with a body", second)
    return { ...second, status: 200, text: first.text }
  }

  private async fetchOnce(path: string, headers: Readonly<Record<string, string>>): Promise<Answer> {
    const response = await fetch(this.url + path, { headers })
    const answer = { status: response.status, headers: response.headers, text: await response.text() }
    const tag = response.headers.get("etag")
    if (tag !== null && response.status === 200) this.remember(path, tag, answer)
    return answer
  }

  private remember(path: string, tag: string, answer: Answer): void {
    const known = this.tags.get(path) ?? new Map<string, string>()
    const before = known.get(tag)
    if (before !== undefined && before !== answer.text) {
      this.check(path, `ETag ${tag} of two bodies: ${short(before)} and ${short(answer.text)}`, answer)
    }
    known.set(tag, answer.text)
    this.tags.set(path, known)
    if (this.tags.size > mostTags) this.tags.delete(this.tags.keys().next().value!)
  }
}

/** A header of `<chain>:<value>`, comma-joined. */
export const pairsOf = (header: string | null): ReadonlyMap<string, string> =>
  new Map(
    (header ?? "").split(",").flatMap((pair): Array<[string, string]> => {
      const colon = pair.indexOf(":")
      return colon === -1 ? [] : [[pair.slice(0, colon), pair.slice(colon + 1)]]
    }),
  )

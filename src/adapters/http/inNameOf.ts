/** What is sent on with the questions that a request asks in its caller's name. */
import { requestIdHeader } from "./requestId.ts"

/** The key by which it came, its name, and the blocks that no answer may be older than. */
export const headersInNameOf = (sent: Headers, key: string | undefined, id: string): Record<string, string> => {
  const minBlock = sent.get("x-min-block")
  return {
    ...(key === undefined ? {} : { apikey: key }),
    ...(minBlock === null ? {} : { "x-min-block": minBlock }),
    [requestIdHeader]: id,
  }
}

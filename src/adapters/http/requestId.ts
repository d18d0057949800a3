/** What a request is called, in its answer and in the lines of the log: as its caller says, where that is harmless, else by a count of this process. */
import { randomBytes } from "node:crypto"
import { Context, References } from "effect"

export const requestIdHeader = "x-request-id"

/** Nothing that a log, a header or a shell could take for something else. */
const harmless = /^[\w.:+=/-]{1,128}$/

/** Names of the requests of a process. Those that it makes up are told apart from other processes' by a random beginning. */
export const makeRequestIds = () => {
  const beginning = randomBytes(6).toString("base64url").replaceAll(/[-_]/g, "x")
  let count = 0
  return (headers: Headers): string => {
    const given = headers.get(requestIdHeader)
    if (given !== null && harmless.test(given)) return given
    count++
    return `${beginning}-${count.toString(36)}`
  }
}

/** The same services; lines that are logged with them name the request. */
export const withRequestId = <R>(context: Context.Context<R>, requestId: string): Context.Context<R> =>
  Context.add(context, References.CurrentLogAnnotations, { requestId }) as Context.Context<R>

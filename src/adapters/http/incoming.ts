/** A request as plain data: what the pipeline is told of it. */
import type { Client } from "./contract/call.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import { parseQuery, pathAndQueryOf } from "./contract/query.ts"
import { addressOfCaller, keySent } from "./pipeline/caller.ts"
import type { Incoming } from "./pipeline/requestResponse.ts"
import type { Sent } from "./sent.ts"
import { originOf, targetOf } from "./target.ts"

/** A request that has come, by whom, and what it is called. */
export interface Peer {
  /** Of the peer. */
  readonly ip: string | undefined
  /** As it came, with its body. */
  readonly sent: Request
  readonly id: string
  /** Whether its answer has that name already. */
  isNamed?: true
}

/** `client`: who asks further questions in the caller's name. */
export const incomingOf = (
  endpoint: Endpoint | undefined,
  { method, url, headers }: Request,
  peer: Peer,
  { pairs: ofForm, ...body }: Sent,
  trustProxy: boolean,
  client: (key: string | undefined) => Client,
): Incoming => {
  const target = targetOf(url)
  const [path, search] = pathAndQueryOf(target)
  const query = ofForm.length > 0 ? [...parseQuery(search), ...ofForm] : parseQuery(search)
  const key = keySent(endpoint, headers, path, query)
  return {
    method,
    target,
    path,
    query,
    ...body,
    key,
    origin: () => originOf(peer.sent.url, trustProxy ? headers.get("x-forwarded-proto") : undefined),
    accept: headers.get("accept") ?? undefined,
    acceptEncoding: headers.get("accept-encoding") ?? undefined,
    ifNoneMatch: headers.get("if-none-match") ?? undefined,
    lastEventId: headers.get("last-event-id") ?? undefined,
    minBlock: headers.get("x-min-block") ?? undefined,
    address: addressOfCaller(headers, peer.ip, trustProxy),
    client: client(key),
  }
}

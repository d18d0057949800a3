/** What a request brings beside its URL: the parameters of a form, or a body, or why neither can be used. */
import type { BodyPlace } from "./bodyRoom.ts"
import type { Endpoint } from "./contract/endpoint.ts"
import type { Query } from "./contract/query.ts"
import { readForm, readText } from "./form.ts"
import { isTooDeep, mostNested } from "./nesting.ts"
import type { Incoming } from "./pipeline/requestResponse.ts"

export interface Sent extends Pick<Incoming, "body" | "bodyProblem" | "formProblem" | "hasNoRoom"> {
  /** Of a form. */
  readonly pairs: Query
}

const nothing: Sent = { pairs: [] }
const tooDeep: Sent = { pairs: [], bodyProblem: ["a deeper one", `one that is nested at most ${mostNested} deep`] }
const noRoom: Sent = { pairs: [], hasNoRoom: true }

/** Nothing is read that the endpoint does not take. Most bring nothing: then nobody waits. `open`: the room that it is read into. */
export const readSent = (
  request: Request,
  endpoint: Endpoint | undefined,
  open: () => BodyPlace,
): Sent | Promise<Sent> => {
  const { method } = request
  if (method === "POST" && endpoint?.style === "compat") return formOf(request, open)
  const takesBody = (method === "POST" || method === "PATCH") && endpoint?.methods?.includes(method) === true
  return takesBody ? bodyOf(request, open) : nothing
}

const formOf = async (request: Request, open: () => BodyPlace): Promise<Sent> => {
  const form = await readForm(request, open)
  if (form === "no room") return noRoom
  return "pairs" in form ? form : { pairs: [], formProblem: form.problem }
}

const bodyOf = async (request: Request, open: () => BodyPlace): Promise<Sent> => {
  const read = await readText(request, open)
  if (read === "no room") return noRoom
  if ("problem" in read) return { pairs: [], bodyProblem: read.problem }
  return isTooDeep(read.text) ? tooDeep : { pairs: [], body: read.text }
}

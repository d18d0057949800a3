/** What a request brings beside its URL: the parameters of a form, or a body, or why neither can be used. */
import type { Endpoint } from "./contract/endpoint.ts"
import type { Query } from "./contract/query.ts"
import { readForm, readText } from "./form.ts"
import type { Incoming } from "./pipeline/requestResponse.ts"

export interface Sent extends Pick<Incoming, "body" | "bodyProblem" | "formProblem"> {
  /** Of a form. */
  readonly pairs: Query
}

const nothing: Sent = { pairs: [] }

/** Nothing is read that the endpoint does not take. Most bring nothing: then nobody waits. */
export const readSent = (request: Request, endpoint: Endpoint | undefined): Sent | Promise<Sent> => {
  const { method } = request
  if (method === "POST" && endpoint?.style === "compat") return formOf(request)
  const takesBody = (method === "POST" || method === "PATCH") && endpoint?.methods?.includes(method) === true
  return takesBody ? bodyOf(request) : nothing
}

const formOf = async (request: Request): Promise<Sent> => {
  const form = await readForm(request)
  return "pairs" in form ? form : { pairs: [], formProblem: form.problem }
}

const bodyOf = async (request: Request): Promise<Sent> => {
  const read = await readText(request)
  return "text" in read ? { pairs: [], body: read.text } : { pairs: [], bodyProblem: read.problem }
}

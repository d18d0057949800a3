/** A JSON-RPC node played by msw, and clients that do not wait long for it. */
import { Effect, Logger } from "effect"
import { HttpResponse, http } from "msw"
import { setupServer } from "msw/node"
import type { RpcCall } from "../../src/adapters/rpc/transport/answers.ts"
import { makeClient, type RpcClientOptions } from "../../src/adapters/rpc/transport/client.ts"
import type { NodeOptions } from "../../src/adapters/rpc/transport/nodes.ts"

export const url = "http://node.test/v3/secretkey123"
export const otherUrl = "http://other.test/"
export const server = setupServer()

export interface Request {
  readonly id: number
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}
type Body = Request | ReadonlyArray<Request>

/** Answers each POST to `at` with the next of these (the last again and again). Returns the bodies that came. */
export const play = (
  answers: ReadonlyArray<(body: Body) => Response | Promise<Response>>,
  at = url,
): ReadonlyArray<Body> => {
  const bodies: Array<Body> = []
  server.use(
    http.post(at, async ({ request }) => {
      bodies.push((await request.json()) as Body)
      return answers[Math.min(bodies.length, answers.length) - 1]!(bodies.at(-1)!)
    }),
  )
  return bodies
}

export const json = (body: unknown, init?: ResponseInit) => HttpResponse.json(body as object, init)
export const requestsOf = (body: Body): ReadonlyArray<Request> => [body].flat() as ReadonlyArray<Request>

/** A true answer, in the form of the request: each call's result by `result`. */
export const answer =
  (result: (request: Request) => unknown) =>
  (body: Body): Response => {
    const one = (request: Request) => ({ jsonrpc: "2.0", id: request.id, result: result(request) })
    return json(Array.isArray(body) ? body.map(one) : one(body as Request))
  }

/** The same error for every call. */
export const refuse =
  (code: number, message: string, init?: ResponseInit) =>
  (body: Body): Response => {
    const one = ({ id }: Request) => ({ jsonrpc: "2.0", id, error: { code, message } })
    return json(Array.isArray(body) ? body.map(one) : one(body as Request), init)
  }

/** Every result is the call's first parameter. */
export const echo = answer(({ params }) => params[0])

export const clientOf = (options: Partial<RpcClientOptions & NodeOptions> = {}, urls: ReadonlyArray<string> = [url]) =>
  makeClient(urls, { concurrency: 4, backoffMs: 1, timeoutMs: 2000, ...options })

export const call = (value: unknown): RpcCall<unknown> => ({
  method: "echo",
  params: [value],
  read: (result) => result,
})

export const run = <A, E>(effect: Effect.Effect<A, E>): Promise<A> =>
  Effect.runPromise(effect.pipe(Effect.provide(Logger.layer([]))))
/** The error an effect ends with. */
export const failureOf = <A, E>(effect: Effect.Effect<A, E>): Promise<E> => Effect.runPromise(Effect.flip(effect))

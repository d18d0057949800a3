/** What goes wrong with real nodes, at the rates asked for: failures of a request, and answers that are behind. */
import type { ServerOptions } from "./options.ts"
import { Random } from "./random.ts"

export class Faults {
  private readonly random: Random

  constructor(private readonly options: Pick<ServerOptions, "seed" | "errors" | "stale">) {
    this.random = new Random(options.seed + 1)
  }

  /** A failed response, or undefined: the request is answered. */
  failure(): Response | undefined {
    const { errors } = this.options
    if (errors === 0 || !this.random.chance(errors)) return undefined
    switch (this.random.below(6)) {
      case 0:
        return new Response("upstream connect error", { status: 503 })
      case 1:
        return new Response("rate limited", { status: 429, headers: { "retry-after": "1" } })
      case 2:
        return new Response("<html>502 Bad Gateway</html>", { status: 502 })
      case 3:
        return new Response('{"jsonrpc":"2.0","id":1,"result":[{"address":"0x', { status: 200 })
      case 4:
        return Response.json({ jsonrpc: "2.0", id: null, error: { code: -32603, message: "Internal error" } })
      default:
        return new Response("", { status: 200 })
    }
  }

  /** The head that this request is answered with. */
  headOf(head: number): number {
    const { stale } = this.options
    return stale > 0 && this.random.chance(stale) ? Math.max(0, head - 1 - this.random.below(20)) : head
  }

  /** Whether logs are answered with `[]`, as by a node that has not seen their blocks. */
  forgets(): boolean {
    return this.options.stale > 0 && this.random.chance(this.options.stale / 2)
  }
}

/** The Upstream port where there is none. */
import { Effect, Layer } from "effect"
import { Upstream, UpstreamUnavailable } from "../../ports/Upstream.ts"

export const layer = Layer.succeed(Upstream, {
  serves: () => false,
  ask: () => Effect.fail(new UpstreamUnavailable({ message: "none is configured" })),
})

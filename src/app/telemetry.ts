/** Whether traces are made: where an endpoint for them is set. Else no span is made, and nothing of an exporter is loaded. */
import { Effect, Layer, References } from "effect"
import type { Config } from "../config/readConfig.ts"

export const telemetryOf = (config: Config) => {
  const settings = telemetrySettings(config)
  return settings === undefined
    ? Layer.succeed(References.TracerEnabled, false)
    : Layer.unwrap(Effect.map(Effect.promise(load), ({ tracesTo }) => tracesTo(settings)))
}

export const telemetrySettings = ({ otlpEndpoint, otlpHeaders, otlpServiceName: serviceName }: Config) =>
  otlpEndpoint === undefined
    ? undefined
    : { endpoint: otlpEndpoint, headers: Object.fromEntries(otlpHeaders), serviceName }

/** What sends; loaded where it is needed. */
export const load = () => import("./openTelemetry.ts")

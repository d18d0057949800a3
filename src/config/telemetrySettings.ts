/** Settings of traces and metrics that go to a collector, by OpenTelemetry's own names: rows of the service's table. */
import type { Setting } from "./deriveFields.ts"
import { bareUrl, header, list, text } from "./parseValues.ts"

export const telemetrySettings = {
  OTEL_EXPORTER_OTLP_ENDPOINT: {
    field: "otlpEndpoint",
    parse: bareUrl,
    meaning: "a collector of OpenTelemetry (OTLP over HTTP, JSON) for traces and metrics; absent = none are sent",
  },
  OTEL_EXPORTER_OTLP_HEADERS: {
    field: "otlpHeaders",
    parse: list(header),
    default: "",
    meaning: "headers that go to it, as name=value, the value percent-encoded",
  },
  OTEL_SERVICE_NAME: {
    field: "otlpServiceName",
    parse: text(/^[\w.-]{1,64}$/u, "a name of up to 64 letters, digits, `.`, `_` or `-`"),
    default: "cowry",
    meaning: "what the service is called there",
  },
} as const satisfies Record<string, Setting>

/** The document as @elysiajs/swagger publishes it. Its own page takes scripts from the net: only its JSON is asked for. */
import type { ElysiaSwaggerConfig } from "@elysiajs/swagger"
import { Elysia } from "elysia"
import { WebStandardAdapter } from "elysia/adapter/web-standard"
import type { Endpoint } from "../contract/endpoint.ts"
import { documentOf } from "./document.ts"

const specPath = "/openapi.json"

/** The JSON text of a table of endpoints. */
export const publish = async (endpoints: ReadonlyArray<Endpoint>): Promise<string> => {
  // Late: it brings packages that take longer to load than the service itself.
  const { swagger } = await import("@elysiajs/swagger")
  // The plugin's types know OpenAPI 3.0 only; it hands the document on as it is.
  const documentation = documentOf(endpoints) as unknown as NonNullable<ElysiaSwaggerConfig["documentation"]>
  const publisher = new Elysia({ adapter: WebStandardAdapter }).use(swagger({ documentation, specPath }))
  return (await publisher.handle(new Request(`http://localhost${specPath}`))).text()
}

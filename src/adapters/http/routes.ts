/** Every row that an app has, by its settings: those of the contract, and those that tell of it. */
import type { Endpoint } from "./contract/endpoint.ts"
import { endpoints } from "./endpoints.ts"
import { llmsOf } from "./llms.ts"
import { type McpSettings, mcpEndpoints } from "./mcp/endpoint.ts"
import { pagesOf } from "./openapi/pages.ts"
import { pageEndpoints } from "./page/endpoints.ts"
import { type ShapeName, shapesOf } from "./shapes/shapes.ts"

export interface RouteSettings extends McpSettings {
  /** Services whose paths are answered here too; absent = none. */
  readonly compatShapes?: ReadonlyArray<ShapeName>
  /** Whether the page at `/` is there; absent = it is. */
  readonly ui?: boolean
}

/** A path of Elysia's, and its row; undefined = nothing is there. */
type Route = readonly [path: string, endpoint: Endpoint | undefined]

/** `streams` are told of in the documents, `own` is not. */
export const routesOf = (
  settings: RouteSettings,
  { streams, own }: { readonly streams: ReadonlyArray<Endpoint>; readonly own: ReadonlyArray<Endpoint> },
): ReadonlyArray<Route> => {
  const shown = [...endpoints, ...shapesOf(settings.compatShapes ?? []), ...streams]
  const mcp = mcpEndpoints(settings)
  const ofPage = settings.ui === false ? [] : pageEndpoints
  const told = [...own, ...pagesOf(shown), ...mcp, llmsOf(shown, mcp.length > 0), ...ofPage]
  const rows = [...shown, ...told].map((it): Route => [it.path.replaceAll(/\{(\w+)\}/g, ":$1"), it])
  return [...rows, ...(ofPage.length === 0 ? ["/", "/*"] : ["/*"]).map((path): Route => [path, undefined])]
}

/** The services whose paths are answered in their own shapes, where the operator wishes so. */
import type { Endpoint } from "../contract/endpoint.ts"
import { alchemyTokens } from "./alchemy.ts"
import { goldrushBalances } from "./goldrushBalances.ts"
import { goldrushPortfolio } from "./goldrushPortfolio.ts"
import { simBalances } from "./sim.ts"

const shapes = {
  alchemy: [alchemyTokens],
  sim: [simBalances],
  goldrush: [goldrushBalances, goldrushPortfolio],
} as const satisfies Readonly<Record<string, ReadonlyArray<Endpoint>>>

export type ShapeName = keyof typeof shapes
export const shapeNames = Object.keys(shapes) as ReadonlyArray<ShapeName>

/** Some clients leave the slash at the end away. */
const alsoBare = (endpoint: Endpoint): ReadonlyArray<Endpoint> =>
  endpoint.path.endsWith("/")
    ? [endpoint, { ...endpoint, path: endpoint.path.slice(0, -1), doc: { ...endpoint.doc, hidden: true } }]
    : [endpoint]

export const shapesOf = (names: ReadonlyArray<ShapeName>): ReadonlyArray<Endpoint> =>
  shapeNames.filter((name) => names.includes(name)).flatMap((name) => shapes[name].flatMap(alsoBare))

/** The ReadServers port in memory: there is no server. */
import { Layer } from "effect"
import { noChoice, ReadServers } from "../../ports/ReadServers.ts"

export const layer = Layer.succeed(ReadServers, noChoice)

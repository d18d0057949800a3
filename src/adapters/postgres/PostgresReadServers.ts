/** The ReadServers port in PostgreSQL: the servers of the open database. */
import { Effect, Layer } from "effect"
import { ReadServers } from "../../ports/ReadServers.ts"
import { Database } from "./database/Database.ts"

export const layer = Layer.effect(
  ReadServers,
  Effect.map(Database, ({ servers }) => servers),
)

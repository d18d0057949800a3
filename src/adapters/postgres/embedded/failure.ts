/** Why the embedded server cannot serve, in words that say what to do. */
import { Schema } from "effect"

/** `message` is for the person who starts the service; `cause` for the log. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect()),
}) {}

const codeOf = (cause: unknown): string | undefined =>
  typeof cause === "object" && cause !== null && "code" in cause ? String(cause.code) : undefined

/** The failure behind whatever was thrown while the data folder was being used. */
export const toEmbeddedFailed = (dataDir: string, cause: unknown): EmbeddedFailed => {
  if (cause instanceof EmbeddedFailed) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  const code = codeOf(cause)
  if (code === "ENOSPC" || code === "EDQUOT")
    return new EmbeddedFailed({ message: `The disk of DATA_DIR ${dataDir} is full (${reason}).`, cause })
  if (code === "EACCES" || code === "EPERM" || code === "EROFS" || code === "ENOTDIR" || code === "EEXIST")
    return new EmbeddedFailed({
      message: `DATA_DIR ${dataDir} cannot be used (${reason}): set DATA_DIR to a folder that this user may write, or DATABASE_URL to a PostgreSQL of your own.`,
      cause,
    })
  return new EmbeddedFailed({ message: `The embedded PostgreSQL in ${dataDir} failed: ${reason}`, cause })
}

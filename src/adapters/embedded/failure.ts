/** Why the embedded server cannot serve, in words that say what to do. */
import { Schema } from "effect"
import { messageOf } from "../../model/outside/cause.ts"

/** `message` is for the person who starts the service; `cause` for the log. */
export class EmbeddedFailed extends Schema.TaggedError<EmbeddedFailed>()("EmbeddedFailed", {
  message: Schema.String,
  cause: Schema.optional(Schema.Defect()),
}) {}

const fieldOf = (cause: unknown, field: "code" | "syscall"): string =>
  typeof cause === "object" && cause !== null && field in cause ? String((cause as Record<string, unknown>)[field]) : ""

const ELSEWHERE = "set DATABASE_URL to a PostgreSQL (15 or newer) of your own."

/** The failure behind whatever was thrown while the data folder was being used. */
export const toEmbeddedFailed = (dataDir: string, cause: unknown): EmbeddedFailed => {
  if (cause instanceof EmbeddedFailed) return cause
  const reason = messageOf(cause)
  return new EmbeddedFailed({ message: explain(dataDir, reason, cause), cause })
}

const explain = (dataDir: string, reason: string, cause: unknown): string => {
  const code = fieldOf(cause, "code")
  if (code === "ENOSPC" || code === "EDQUOT" || reason.includes("No space left on device"))
    return `The disk of DATA_DIR ${dataDir} is full: ${reason}`
  if (fieldOf(cause, "syscall").includes("spawn")) {
    if (code === "EACCES")
      return `PostgreSQL may not be run in DATA_DIR ${dataDir} (${reason}): the folder is probably mounted noexec. Set DATA_DIR to another folder, or ${ELSEWHERE}`
    if (code === "ENOENT")
      return `PostgreSQL cannot run on this system (${reason}): its programs need glibc, which Alpine, for one, does not have. Use another system, or ${ELSEWHERE}`
    if (code === "EPERM" || code === "EINVAL")
      return `PostgreSQL refuses to run as root, and this process may not become another user (${reason}): run Cowry as an ordinary user, or ${ELSEWHERE}`
  }
  if (["EACCES", "EPERM", "EROFS", "ENOTDIR", "EEXIST"].includes(code))
    return `DATA_DIR ${dataDir} cannot be used (${reason}): set DATA_DIR to a folder that this user may write, or ${ELSEWHERE}`
  // Its own words tell who: root lends it another user.
  const nameless = /could not look up effective user ID (\d+)/.exec(reason)?.[1]
  if (nameless !== undefined)
    return `PostgreSQL makes a database only as a user that has a name, and user ${nameless} has none here: run Cowry as one that has (in Cowry's image 1000), give this one a line in /etc/passwd (docs/operations.md, The embedded database), or ${ELSEWHERE}`
  return `The embedded PostgreSQL in ${dataDir} failed: ${reason}`
}

/** The data folder before anything runs in it: made, and reachable for the server's user. */
import { chmodSync, mkdirSync, realpathSync } from "node:fs"
import { dirname, resolve } from "node:path"
import { type Account, findClosedParent } from "./account.ts"
import { EmbeddedFailed } from "./failure.ts"

/** Makes the folder if it is missing and answers its real path, or says why `account` cannot use it. */
export const openFolder = (path: string, account: Account | undefined): string => {
  const first = mkdirSync(path, { recursive: true, mode: 0o755 })
  // A strict umask would close what we just made to the server's user.
  for (let made = resolve(path); first !== undefined; made = dirname(made)) {
    chmodSync(made, 0o755)
    if (made === resolve(first)) break
  }
  const real = realpathSync(path)
  const closed = account === undefined ? undefined : findClosedParent(real, account)
  if (closed !== undefined)
    throw new EmbeddedFailed({
      message: `DATA_DIR ${path} cannot be used: PostgreSQL refuses to run as root, so it runs as user ${account?.uid}, to whom ${closed} is closed. Set DATA_DIR to a folder in an open place, such as /var/lib/cowry, or run Cowry as an ordinary user.`,
    })
  return real
}

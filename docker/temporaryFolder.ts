/** Where PostgreSQL's programs can work for a while: in a build of the image, in tests and benches. */
import { chmodSync, mkdtempSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { findClosedParent, serverAccount } from "../src/adapters/embedded/account.ts"

/** A new folder whose insides the server's user can reach, whatever TMPDIR says. `first`: where it goes if it can. */
export const openTemporaryFolder = (prefix: string, first: ReadonlyArray<string> = []): string => {
  const account = serverAccount()
  const parents = [...first, tmpdir(), "/tmp", "/var/tmp"]
  const parent = parents.find((it) => account === undefined || !findClosedParent(it, account))
  if (parent === undefined) throw new Error("no temporary folder is open to the server's user")
  const folder = mkdtempSync(join(parent, prefix))
  chmodSync(folder, 0o711)
  return folder
}

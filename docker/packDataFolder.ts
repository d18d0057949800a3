/** Makes the files of a new embedded database once, in one file beside the program: each start of an empty image unpacks them. */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { type Account, findClosedParent, serverAccount } from "../src/adapters/embedded/account.ts"
import { initialize } from "../src/adapters/embedded/cluster.ts"
import { openFolder } from "../src/adapters/embedded/folder.ts"
import { packedName, packFolder } from "../src/adapters/embedded/packedFolder.ts"
import { findPrograms, installPrograms, platformPackage } from "../src/adapters/embedded/programs.ts"
import { program } from "./bundle.ts"

/** Bytes of what is written into `root`/dist; 0 where PostgreSQL's programs are not installed. */
export const packDataFolder = async (root: string): Promise<number> => {
  const version = versionOfPrograms()
  if (version === undefined) return 0
  const account = serverAccount()
  const scratch = mkdtempSync(join(openParent(account), "cowry-packing-"))
  try {
    chmodSync(scratch, 0o755)
    const folder = openFolder(join(scratch, "data"), account)
    const programs = installPrograms(platformPackage, join(folder, "programs"))
    const made = join(folder, "pgdata")
    await initialize({ programs, account, logFile: join(folder, "log"), onSpawn: () => {} }, made)
    const packed = packFolder(made)
    writeFileSync(join(root, dirname(program), packedName(version)), packed)
    return packed.length
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** A place for what passes that the server's user can enter. */
const openParent = (account: Account | undefined): string => {
  const parents = [tmpdir(), "/tmp", "/var/tmp"]
  return parents.find((it) => account === undefined || findClosedParent(it, account) === undefined) ?? parents[0]!
}

const versionOfPrograms = (): string | undefined => {
  try {
    return findPrograms(platformPackage).version
  } catch {
    return undefined
  }
}

/** Makes the files of a new embedded database once, in one file beside the program: each start of an empty image unpacks them. */
import { rmSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { serverAccount } from "../src/adapters/embedded/account.ts"
import { initialize } from "../src/adapters/embedded/cluster.ts"
import { packedName, packFolder } from "../src/adapters/embedded/packedFolder.ts"
import { findPrograms, installPrograms, platformPackage } from "../src/adapters/embedded/programs.ts"
import { program } from "./bundle.ts"
import { openTemporaryFolder } from "./temporaryFolder.ts"

/** Bytes of what is written into `root`/dist; 0 where PostgreSQL's programs are not installed. */
export const packDataFolder = async (root: string): Promise<number> => {
  const version = versionOfPrograms()
  if (version === undefined) return 0
  const account = serverAccount()
  const folder = openTemporaryFolder("cowry-packing-")
  try {
    const programs = installPrograms(platformPackage, join(folder, "programs"))
    const made = join(folder, "pgdata")
    await initialize({ programs, account, logFile: join(folder, "log"), onSpawn: () => {} }, made)
    const packed = packFolder(made)
    writeFileSync(join(root, dirname(program), packedName(version)), packed)
    return packed.length
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

const versionOfPrograms = (): string | undefined => {
  try {
    return findPrograms(platformPackage).version
  } catch {
    return undefined
  }
}

/** Makes of a checkout with its packages what the image and the archives of a release hold: `bun docker/build.ts [folder]`. */
import { execFileSync } from "node:child_process"
import { existsSync } from "node:fs"
import { join } from "node:path"
import { bundle } from "./bundle.ts"
import { packDataFolder } from "./packDataFolder.ts"
import { prune } from "./prune.ts"

const root = process.argv[2] ?? process.cwd()
// Sources that nothing needs at run time are taken away: what is in no commit would be gone. In an image there is no `.git`.
if (existsSync(join(root, ".git"))) {
  const changed = execFileSync("git", ["-c", "safe.directory=*", "status", "--porcelain"], {
    cwd: root,
    encoding: "utf8",
  })
  if (changed !== "")
    throw new Error(`the build takes sources away, and some are in no commit; commit them first:\n${changed}`)
}
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
await bundle(root)
try {
  const packed = await packDataFolder(root)
  if (packed > 0) console.log(`a new database's files: ${megabytes(packed)}`)
} catch (error) {
  // Where a build may not become another user, say. The image does without, more slowly.
  console.warn(`a new database's files are not packed, so its first start makes them: ${error}`)
}
const { before, after } = prune(root)
console.log(`node_modules: ${megabytes(before)} cut down to ${megabytes(after)}`)

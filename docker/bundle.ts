/** Writes the program of `src` as few files, `dist/main.js` and its parts. */
import { rmSync } from "node:fs"
import { readFile } from "node:fs/promises"
import { dirname, join, relative } from "node:path"

/** What is started, in the root's folder. */
export const program = "dist/main.js"

/** Of `root`/src into `root`/dist: the very code, with its names and lines, each file of it under a comment with its path. */
export const bundle = async (root: string): Promise<void> => {
  const outdir = join(root, dirname(program))
  rmSync(outdir, { recursive: true, force: true })
  await Bun.build({
    entrypoints: [join(root, "src/main.ts")],
    outdir,
    target: "bun",
    splitting: true,
    plugins: [atHome(root)],
  })
}

/** What sources find beside themselves (`import.meta.url`) stays where it is, and is found from the bundle's folder. */
const atHome = (root: string): Bun.BunPlugin => ({
  name: "files beside the sources",
  setup: (build) => {
    build.onLoad({ filter: /\.ts$/ }, async ({ path }) => {
      const source = await readFile(path, "utf8")
      const home = `new URL(${JSON.stringify(`../${relative(root, path)}`)}, import.meta.url).href`
      return { contents: source.replaceAll("import.meta.url", home), loader: "ts" }
    })
  },
})

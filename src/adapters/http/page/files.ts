/** The files of the page at `/`: ours and uPlot's, from its package. All lie below one folder, named by a digest of them all. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

const types = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
} as const

/** Ours, in ./files. */
const own = [
  "main.js",
  "api.js",
  "dom.js",
  "format.js",
  "links.js",
  "live.js",
  "plot.js",
  "transfers.js",
  "viewAddress.js",
  "viewChains.js",
  "viewSearch.js",
  "viewToken.js",
  "style.css",
  "icon.svg",
] as const

const plots = ["uPlot.iife.min.js", "uPlot.min.css"] as const

export interface PageFile {
  readonly type: string
  readonly text: string
}

export interface PageFiles {
  /** The page. */
  readonly html: string
  /** The digest below which its files are: they may be kept for ever. */
  readonly version: string
  /** By file name. */
  readonly files: ReadonlyMap<string, PageFile>
}

let loaded: Promise<PageFiles> | undefined

/** Read once. Rejects when uPlot is not installed. */
export const pageFiles = (): Promise<PageFiles> => {
  loaded ??= load()
  return loaded
}

const load = async (): Promise<PageFiles> => {
  const read = await Promise.all([
    ...own.map(async (name) => [name, await ownFile(name)] as const),
    ...plots.map(async (name) => [name, await readFile(require.resolve(`uplot/dist/${name}`), "utf8")] as const),
  ])
  const hash = createHash("sha256")
  for (const [name, text] of read) hash.update(`${name}\0${text}\0`)
  const version = hash.digest("hex").slice(0, 16)
  const html = (await ownFile("index.html")).replaceAll("{files}", `/ui/${version}`)
  const files = read.map(([name, text]) => [name, { type: typeOf(name), text }] as const)
  return { html, version, files: new Map(files) }
}

const ownFile = (name: string): Promise<string> => readFile(new URL(`./files/${name}`, import.meta.url), "utf8")

const typeOf = (name: string): string => {
  const ending = name.slice(name.lastIndexOf(".") + 1)
  return types[ending as keyof typeof types]
}

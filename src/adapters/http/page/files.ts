/** The files of the page at `/`: ours and uPlot's, from its package. All lie below one folder, named by a digest of them all. */
import { createHash } from "node:crypto"
import { readdir, readFile } from "node:fs/promises"
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

const types: Readonly<Record<string, string>> = {
  js: "text/javascript; charset=utf-8",
  css: "text/css; charset=utf-8",
  svg: "image/svg+xml",
}

/** Ours: whatever a browser is given of them. */
const own = new URL("./files/", import.meta.url)

/** uPlot's. */
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
  const names = (await readdir(own)).filter((name) => typeOf(name) !== undefined).sort()
  const read = await Promise.all([
    ...names.map(async (name) => [name, await ownFile(name)] as const),
    ...plots.map(async (name) => [name, await readFile(require.resolve(`uplot/dist/${name}`), "utf8")] as const),
  ])
  const hash = createHash("sha256")
  for (const [name, text] of read) hash.update(`${name}\0${text}\0`)
  const version = hash.digest("hex").slice(0, 16)
  const html = (await ownFile("index.html")).replaceAll("{files}", `/ui/${version}`)
  const files = read.map(([name, text]) => [name, { type: typeOf(name)!, text }] as const)
  return { html, version, files: new Map(files) }
}

const ownFile = (name: string): Promise<string> => readFile(new URL(name, own), "utf8")

/** undefined = no file of the page. */
const typeOf = (name: string): string | undefined => types[name.slice(name.lastIndexOf(".") + 1)]

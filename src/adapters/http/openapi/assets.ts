/** The files of the documentation page: Swagger UI's, from its package, and ours. The net is not needed for any. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import { createRequire } from "node:module"

const require = createRequire(import.meta.url)

export interface Asset {
  readonly type: string
  readonly text: string
}

export interface DocsFiles {
  /** The page. */
  readonly html: string
  /** What it names, by file name. A name holds a digest of the text: it may be kept for ever. */
  readonly assets: ReadonlyMap<string, Asset>
}

let loaded: Promise<DocsFiles> | undefined

/** Read once. Rejects when the package is not installed. */
export const docsFiles = (): Promise<DocsFiles> => {
  loaded ??= load()
  return loaded
}

const load = async (): Promise<DocsFiles> => {
  const script = "text/javascript; charset=utf-8"
  const style = "text/css; charset=utf-8"
  const parts = [
    { name: "swagger-ui", extension: "css", type: style, text: await packageFile("swagger-ui.css") },
    { name: "docs", extension: "css", type: style, text: ownStyle },
    { name: "swagger-ui", extension: "js", type: script, text: await packageFile("swagger-ui-bundle.js") },
    { name: "docs", extension: "js", type: script, text: ownScript },
    { name: "icon", extension: "svg", type: "image/svg+xml", text: await readFile(icon, "utf8") },
  ]
  const named = parts.map((part) => ({ ...part, file: `${part.name}-${digest(part.text)}.${part.extension}` }))
  return {
    html: htmlOf(named.map(({ file }) => file)),
    assets: new Map(named.map(({ file, type, text }) => [file, { type, text }])),
  }
}

/** Without the line that names a map of the sources: the service does not have it. */
const packageFile = async (name: string): Promise<string> =>
  (await readFile(require.resolve(`swagger-ui-dist/${name}`), "utf8")).replace(
    /\n(?:\/\/|\/\*)# sourceMappingURL=[^\n]*/,
    "",
  )

/** The page at `/` has the same. */
const icon = new URL("../page/files/icon.svg", import.meta.url)

const digest = (text: string): string => createHash("sha256").update(text).digest("hex").slice(0, 16)

const tagOf = (file: string): string => {
  const path = `/docs/${file}`
  if (file.endsWith(".css")) return `<link rel="stylesheet" href="${path}">`
  return file.endsWith(".js") ? `<script src="${path}" defer></script>` : `<link rel="icon" href="${path}">`
}

const htmlOf = (files: ReadonlyArray<string>): string => `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Cowry: token data of EVM chains</title>
${files.map(tagOf).join("\n")}
</head>
<body>
<div id="docs">The documentation needs JavaScript. Without it: <a href="/openapi.json">/openapi.json</a>.</div>
</body>
</html>
`

/** Forms start empty, the path aside: the examples of all filters at once would be a question that nobody asks. */
const ownScript = `"use strict"
const place = document.getElementById("docs")
const json = (path) => fetch(path).then((answer) => answer.json())
const shown = (parameter, chain) => {
  if (parameter.in === "path") return parameter.name === "chainId" && chain ? { ...parameter, example: chain } : parameter
  if (parameter.example === undefined) return parameter
  const { example, ...rest } = parameter
  return { ...rest, description: rest.description + "\\n\\nExample: \`" + [example].flat().join(",") + "\`" }
}
const show = (spec, chain) => {
  for (const operation of Object.values(spec.paths).flatMap(Object.values))
    operation.parameters = operation.parameters.map((parameter) => shown(parameter, chain))
  SwaggerUIBundle({ spec, domNode: place, validatorUrl: null, deepLinking: true, docExpansion: "list", defaultModelsExpandDepth: 0, showCommonExtensions: true })
}
const firstChain = () => json("/ready").then(({ chains }) => chains[0]?.chainId).catch(() => undefined)
Promise.all([json("/openapi.json"), firstChain()])
  .then(([spec, chain]) => show(spec, chain))
  .catch((error) => { place.textContent = "The documentation could not be loaded: " + error.message })
`

const ownStyle = `body { margin: 0; background: #fff }
#docs { font-family: sans-serif }
.swagger-ui .info { margin: 24px 0 }
`

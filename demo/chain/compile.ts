/** Solidity → bytecode: compiles the contracts of a folder with solc, in a process of its own. */
import { spawn } from "node:child_process"
import { readdirSync, readFileSync } from "node:fs"
import { text } from "node:stream/consumers"
import { fileURLToPath } from "node:url"

const root = fileURLToPath(new URL("../../", import.meta.url))
const compiled = new Map<string, Promise<Contracts>>()

/** Creation bytecode in hex by contract name. */
export type Contracts = ReadonlyMap<string, `0x${string}`>

/**
 * Every contract of `folder` (relative to the project's root). A folder is compiled once a process, in about three seconds.
 * `@openzeppelin/contracts` is found in node_modules. Rejects with the compiler's own words.
 */
export const compile = (folder: string): Promise<Contracts> => {
  const known = compiled.get(folder) ?? runSolc(folder)
  compiled.set(folder, known)
  return known
}

const runSolc = async (folder: string): Promise<Contracts> => {
  const files = readdirSync(`${root}${folder}`).map((file) => `${folder}/${file}`)
  const input = {
    language: "Solidity",
    sources: Object.fromEntries(files.map((file) => [file, { content: readFileSync(root + file, "utf8") }])),
    settings: {
      evmVersion: "cancun",
      // Unoptimised: it takes half the time, and nobody pays for the gas.
      optimizer: { enabled: false },
      outputSelection: { "*": { "*": ["evm.bytecode.object"] } },
    },
  }
  // A child, because the compiler is a WebAssembly of 200 MB that would stay in this process and block it meanwhile.
  const solc = spawn(
    process.execPath,
    ["node_modules/solc/solc.js", "--standard-json", "--base-path", ".", "--include-path", "node_modules"],
    { cwd: root, stdio: ["pipe", "pipe", "ignore"] },
  )
  solc.stdin.end(JSON.stringify(input))
  const output = await text(solc.stdout)
  const { contracts, errors = [] } = JSON.parse(output.slice(output.indexOf("{"))) as SolcOutput
  const failures = errors.filter((error) => error.severity === "error")
  if (failures.length > 0) throw new Error(failures.map((error) => error.formattedMessage).join("\n"))
  return new Map(
    files.flatMap((file) =>
      Object.entries(contracts[file] ?? {}).map(([name, { evm }]) => [name, `0x${evm.bytecode.object}`] as const),
    ),
  )
}

interface SolcOutput {
  readonly contracts: Record<
    string,
    Record<string, { readonly evm: { readonly bytecode: { readonly object: string } } }>
  >
  readonly errors?: ReadonlyArray<{ readonly severity: string; readonly formattedMessage: string }>
}

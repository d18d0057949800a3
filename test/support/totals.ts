/** Reads the totals that `bun test` prints last. */

export interface Totals {
  readonly passed: number
  /** Everything that must stop a release: failed tests, but also skipped ones, errors outside tests, and no tests. */
  readonly failed: number
  /** What was counted as failed without being a failed test, in words. */
  readonly problems: Array<string>
}

const COLOURS = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, "g")

/** The totals from what it printed and its exit code (null = it was killed). */
export const totalsOf = (printed: string, code: number | null): Totals => {
  const text = printed.replaceAll(COLOURS, "")
  const end = [...text.matchAll(/^Ran (\d+) tests? across \d+ files?\./gm)].at(-1)
  if (end === undefined) return { passed: 0, failed: 1, problems: ["The tests ended before their totals."] }

  // The totals stand between the last empty line and the line that says how many ran.
  const block =
    text
      .slice(0, end.index)
      .split(/\n\s*\n/)
      .at(-1) ?? ""
  const count = (word: string): number => Number(block.match(new RegExp(`^\\s*(\\d+) ${word}s?$`, "m"))?.[1] ?? 0)
  const passed = count("pass")
  const problems: Array<string> = []
  let failed = count("fail")
  for (const word of ["skip", "todo", "error"]) {
    const found = count(word)
    failed += found
    if (found > 0)
      problems.push(`${found} ${word === "error" ? "error(s) outside of tests" : `test(s) marked ${word}`}.`)
  }
  if (failed === 0 && passed === 0) {
    failed = 1
    problems.push("No test ran.")
  }
  if (failed === 0 && code !== 0) {
    failed = 1
    problems.push(`No test failed, but the runner ended with code ${code}.`)
  }
  return { passed, failed, problems }
}

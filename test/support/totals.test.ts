/** The gate's last line tells the truth about what bun printed. */
import { expect, test } from "bun:test"
import { totalsOf } from "./totals.ts"

const printed = (...totals: ReadonlyArray<string>): string =>
  ["test/a.test.ts:", "(pass) a [0.05ms]", "", ...totals, "Ran 4 tests across 1 file. [124.00ms]", ""].join("\n")

test("a suite whose tests all passed has passed", () => {
  expect(totalsOf(printed(" 4 pass", " 0 fail", " 9 expect() calls"), 0)).toEqual({
    passed: 4,
    failed: 0,
    problems: [],
  })
})

test("colours change nothing", () => {
  const green = `${String.fromCharCode(27)}[32m 4 pass${String.fromCharCode(27)}[0m`
  expect(totalsOf(printed(green, " 0 fail"), 0)).toEqual({ passed: 4, failed: 0, problems: [] })
})

test("skipped tests, todos and errors outside of tests count as failed", () => {
  expect(totalsOf(printed(" 1 pass", " 2 skip", " 3 todo", " 4 fail", " 1 error"), 1)).toEqual({
    passed: 1,
    failed: 10,
    problems: ["2 test(s) marked skip.", "3 test(s) marked todo.", "1 error(s) outside of tests."],
  })
})

test("a suite in which nothing ran has failed", () => {
  expect(totalsOf(printed(" 0 pass", " 0 fail"), 0)).toEqual({ passed: 0, failed: 1, problems: ["No test ran."] })
})

test("a runner that ends before its totals has failed, whatever it printed and answered", () => {
  expect(totalsOf("test/a.test.ts:\n 4 pass\n 0 fail\n", 0)).toEqual({
    passed: 0,
    failed: 1,
    problems: ["The tests ended before their totals."],
  })
})

test("a runner that answers failure without a failed test has failed", () => {
  expect(totalsOf(printed(" 4 pass", " 0 fail"), 7)).toEqual({
    passed: 4,
    failed: 1,
    problems: ["No test failed, but the runner ended with code 7."],
  })
})

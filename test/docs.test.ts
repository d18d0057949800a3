/** The documents hold together: decisions by number, paths that exist, links that lead somewhere. */
import { describe, expect, test } from "bun:test"
import { existsSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

const root = dirname(dirname(fileURLToPath(import.meta.url)))
const listFiles = (...patterns: ReadonlyArray<string>): ReadonlyArray<string> =>
  patterns.flatMap((pattern) => [...new Bun.Glob(pattern).scanSync(root)].sort())
const read = (path: string): string => readFileSync(join(root, path), "utf8")

const pages = listFiles("*.md", "docs/*.md", "bench/*.md")

/** The name that a heading has in links. */
const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .trim()
    .replaceAll(" ", "-")

const headingsOf = (page: string): ReadonlyArray<string> => [...page.matchAll(/^#+ (.*)$/gm)].map(([, text]) => text!)

describe("decisions", () => {
  const page = read("docs/decisions.md")
  const subjects = page.split(/^## /m).slice(1)
  const titlesOf = (subject: string): ReadonlyArray<string> =>
    headingsOf(subject).filter((heading) => /^\d+\. /.test(heading))
  const numberOf = (title: string): number => Number(title.split(".")[0])
  const numbers = subjects.flatMap(titlesOf).map(numberOf)

  test("have each number once, without a gap, ascending within a subject", () => {
    expect(numbers.length).toBeGreaterThan(0)
    expect([...numbers].sort((a, b) => a - b)).toEqual(numbers.map((_, index) => index + 1))
    for (const subject of subjects) {
      const own = titlesOf(subject).map(numberOf)
      expect(own).toEqual([...own].sort((a, b) => a - b))
    }
  })

  test("have each a date and a status", () => {
    const stated = [...page.matchAll(/^### (\d+)\. .*\n\n20\d\d-\d\d-\d\d · (?:accepted|superseded by (\d+))\n\n\S/gm)]
    expect(stated.map(([, number]) => Number(number))).toEqual(numbers)
    const later = stated.flatMap(([, , by]) => (by === undefined ? [] : [Number(by)]))
    expect(later.filter((by) => !numbers.includes(by))).toEqual([])
  })

  test("stand in the table of contents, and nothing else does", () => {
    const lineOf = (text: string): string => `[${text}](#${anchorOf(text)})`
    const wanted = subjects
      .filter((subject) => !subject.startsWith("Contents\n"))
      .flatMap((subject) => [
        `- ${lineOf(subject.split("\n")[0]!)}`,
        ...titlesOf(subject).map((title) => `  - ${lineOf(title)}`),
      ])
    expect(subjects[0]!.split("\n").filter((line) => line.includes("](#"))).toEqual(wanted)
  })

  test("are cited by a number that exists", () => {
    const files = [...listFiles("{src,test,bench,demo}/**/*.{ts,sql}"), ...pages]
    const cited = files.flatMap((path) =>
      [...read(path).matchAll(/\bdecisions? (\d+\w*)/gi)].map(([, number]) => ({ path, number: number! })),
    )
    expect(cited.length).toBeGreaterThan(0)
    expect(cited.filter(({ number }) => !numbers.map(String).includes(number))).toEqual([])
  })
})

test("every path in src that a page names exists", () => {
  const named = pages
    .flatMap((page) => [...read(page).matchAll(/\bsrc\/[\w./-]*/g)].map(([path]) => path.replace(/[./]+$/, "")))
    .filter((path) => !existsSync(join(root, path)))
  expect(named).toEqual([])
})

test("every link between pages leads to a file and its heading", () => {
  const broken = pages.flatMap((page) =>
    [...read(page).matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g)]
      .filter(([, path = "", anchor]) => {
        const target = path === "" ? page : join(dirname(page), path)
        if (!existsSync(join(root, target))) return true
        return anchor !== undefined && !headingsOf(read(target)).map(anchorOf).includes(anchor)
      })
      .map(([link]) => `${page}: ${link}`),
  )
  expect(broken).toEqual([])
})

test("every heading that a comment quotes of a page stands there", () => {
  const broken = listFiles("{src,test,bench,demo}/**/*.ts").flatMap((path) =>
    [...read(path).matchAll(/\b((?:docs|bench)\/\w+\.md), "([^"]+)"/g)]
      .filter(([, page, heading]) => !headingsOf(read(page!)).includes(heading!))
      .map(([words]) => `${path}: ${words}`),
  )
  expect(broken).toEqual([])
})

/** A script of SQL as its statements: each is sent by itself, as a distributed server wants them. */

/** What a statement's end must not be looked for in: comments, texts, names, bodies of functions. */
const opaque = /--[^\n]*|'(?:[^']|'')*'|"(?:[^"]|"")*"|(\$[a-z_]*\$)[\s\S]*?\1/iy

/** In order, without the semicolons and what is nothing but comments. Block comments and `E'…'` with `\'` are not known. */
export const statementsOf = (script: string): ReadonlyArray<string> => {
  const statements: Array<string> = []
  let start = 0
  let at = 0
  const end = () => {
    const statement = script.slice(start, at).trim()
    if (statement.replace(/--[^\n]*/g, "").trim() !== "") statements.push(statement)
  }
  while (at < script.length) {
    opaque.lastIndex = at
    const passed = opaque.exec(script)
    if (passed !== null) {
      at = opaque.lastIndex
      continue
    }
    if (script[at] === ";") {
      end()
      start = at + 1
    }
    at++
  }
  end()
  return statements
}

/** The examples of docs/clients.md in the shapes of other services: each request is asked, and its answer written behind it. `bun test/http/shapes/clientsPage.ts` writes them anew. */
import { shapeNames } from "../../../src/adapters/http/shapes/shapes.ts"
import { startDocumented } from "../openapi/documentedWorld.ts"
import type { Json, TestService } from "../support.ts"

const page = new URL("../../../docs/clients.md", import.meta.url)
const example = /```\n(\$ curl -s (?:-d '([^']+)' )?"http:\/\/your-host([^"]+)")\n([^`]*)```/gu
/** What is another at each call. */
const volatile: Json = {
  updated_at: "2026-01-01T00:00:48.000Z",
  request_time: "2026-01-01T00:00:48.000Z",
  response_time: "2026-01-01T00:00:48.004Z",
}

/** Lists are cut after their first row. */
const shown = (answer: Json): string =>
  JSON.stringify(
    answer,
    (name, value) => {
      if (Object.hasOwn(volatile, name) && Number.isFinite(Date.parse(value))) return volatile[name]
      return Array.isArray(value) ? value.slice(0, 1) : value
    },
    2,
  )

/** The page as it is, and as the service says it should be; `statuses` of its examples in order. */
export const examplesOf = async (service: TestService) => {
  const text = await Bun.file(page).text()
  const statuses: Array<number> = []
  let written = text
  for (const [whole, command, body, path] of text.matchAll(example)) {
    const answer = await service.get(path!, body === undefined ? {} : { method: "POST", body })
    statuses.push(answer.status)
    written = written.replace(whole, () => `\`\`\`\n${command}\n${shown(answer.body)}\n\`\`\``)
  }
  return { text, written, statuses }
}

if (import.meta.main) {
  const service = await startDocumented({ compatShapes: shapeNames })
  await Bun.write(page, (await examplesOf(service)).written)
  await service.close()
}

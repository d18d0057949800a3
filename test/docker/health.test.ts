/** The image's health check asks the service itself, whatever the container's environment says of proxies. */
import { expect, test } from "bun:test"
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { fileURLToPath } from "node:url"

const dockerfile = readFileSync(fileURLToPath(new URL("../../Dockerfile", import.meta.url)), "utf8")
const [, words] = /^HEALTHCHECK .*\\\n\s*CMD (\[.*\])$/m.exec(dockerfile) ?? []

/** The check's exit code beside a service that answers so, and how often a proxy was asked. */
const check = async (status: number, environment: (proxy: string) => Readonly<Record<string, string>>) => {
  let asked = 0
  const answer = (code: number, onAsked = () => {}) =>
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => {
        onAsked()
        return new Response(null, { status: new URL(url).pathname === "/health" ? code : 404 })
      },
    })
  const service = answer(status)
  const proxy = answer(502, () => asked++)
  const programs = mkdtempSync(join(tmpdir(), "cowry-health-"))
  symlinkSync(process.execPath, join(programs, "bun"))
  try {
    const run = Bun.spawn(JSON.parse(words!) as Array<string>, {
      env: {
        PATH: `${programs}:/usr/bin:/bin`,
        PORT: `${service.port}`,
        ...environment(`http://127.0.0.1:${proxy.port}`),
      },
    })
    return { code: await run.exited, asked }
  } finally {
    await Promise.all([service.stop(true), proxy.stop(true)])
    rmSync(programs, { recursive: true })
  }
}

test("it passes where the service is alive, and fails where it is not", async () => {
  expect(await check(200, () => ({}))).toEqual({ code: 0, asked: 0 })
  expect(await check(503, () => ({}))).toEqual({ code: 1, asked: 0 })
})

for (const [what, environment] of [
  ["HTTP_PROXY", (proxy: string) => ({ HTTP_PROXY: proxy })],
  ["http_proxy", (proxy: string) => ({ http_proxy: proxy })],
  ["a proxy and hosts that need none", (proxy: string) => ({ HTTP_PROXY: proxy, no_proxy: "example.com" })],
] as const)
  test(`it goes by no proxy with ${what}`, async () => {
    expect(await check(200, environment)).toEqual({ code: 0, asked: 0 })
  })

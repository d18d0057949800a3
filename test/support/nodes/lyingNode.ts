/** Stands before an honest node over HTTP and changes what it says, for as long as one likes. */

export interface Call {
  readonly method: string
  readonly params: ReadonlyArray<never>
}

/** What is said instead of `result`. Awaited. */
export type Lie = (call: Call, result: unknown) => unknown

export interface LyingNode {
  readonly url: string
  /** May be changed at any time; absent = honest. */
  lie?: Lie | undefined
  /** In place of the body. */
  body?: ((honest: string) => Response | Promise<Response>) | undefined
  readonly stop: () => Promise<void>
}

export const startLyingNode = (honest: string): LyingNode => {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch: async (request) => {
      const sent = await request.text()
      const answer = await fetch(honest, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: sent,
      })
      const answers: unknown = await answer.json()
      const calls = [JSON.parse(sent)].flat() as ReadonlyArray<Call & { readonly id: number }>
      const said = await Promise.all(
        [answers].flat().map(async (each) => {
          const { id, result } = each as { readonly id: number; readonly result?: unknown }
          const call = calls.find((it) => it.id === id)
          if (node.lie === undefined || call === undefined || result === undefined) return each
          return { ...(each as object), result: await node.lie(call, result) }
        }),
      )
      const text = JSON.stringify(Array.isArray(answers) ? said : said[0])
      return node.body === undefined ? new Response(text) : node.body(text)
    },
  })
  const node: LyingNode = {
    url: `http://127.0.0.1:${server.port}/`,
    lie: undefined,
    body: undefined,
    stop: () => server.stop(true),
  }
  return node
}

/** JSON-RPC calls to the local node: one, or many in one request. */

export interface Call {
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

export type Rpc = <Result = string>(method: string, params?: ReadonlyArray<unknown>) => Promise<Result>

/** Results in the order of `calls`. Rejects with the node's message if any call fails. */
export const callBatch = async <Result>(url: string, calls: ReadonlyArray<Call>): Promise<ReadonlyArray<Result>> => {
  if (calls.length === 0) return []
  const requests = calls.map(({ method, params = [] }, id) => ({ jsonrpc: "2.0", id, method, params }))
  const response = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(requests),
  })
  const answers = (await response.json()) as Array<{ id: number; result?: Result; error?: { message: string } }>
  const results = new Array<Result>(calls.length)
  for (const { id, result, error } of answers) {
    if (error !== undefined) throw new Error(`${calls[id]?.method}: ${error.message}`)
    results[id] = result as Result
  }
  return results
}

export const rpcOf =
  (url: string): Rpc =>
  async <Result>(method: string, params: ReadonlyArray<unknown> = []) => {
    const [result] = await callBatch<Result>(url, [{ method, params }])
    return result as Result
  }

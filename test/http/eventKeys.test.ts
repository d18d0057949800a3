/** A stream of events is its caller's: whose key is taken away is told nothing more. */
import { expect, test } from "bun:test"
import { Layer } from "effect"
import { ApiKeys } from "../../src/ports/ApiKeys.ts"
import { address, TestChain, transfer } from "../support/chain/testChain.ts"
import { prefix, startService } from "./support.ts"

test("a stream ends at the sign of life after its key was taken away; others go on", async () => {
  const known = new Set(["ann", "bob"])
  const keys = Layer.succeed(ApiKeys, {
    strict: true,
    identify: (key) => (known.has(key) ? key : undefined),
    mayManage: () => false,
  })
  const service = await startService({ heartbeatMs: 64, replace: keys as Layer.Layer<never> })
  try {
    const writer = await service.open("43114")
    const chain = new TestChain().block([transfer(address(0x70), address(0), address(0xa1), 1n)])
    await service.run(writer.append(chain.segment(0)))
    const open = async (key: string) => {
      const response = await service.fetch(`${prefix("43114")}/events`, { headers: { apikey: key } })
      return { status: response.status, reader: response.body!.getReader() }
    }
    const [ann, bob] = [await open("ann"), await open("bob")]
    await ann.reader.read()
    known.delete("ann")
    const rest = async () => {
      while (!(await ann.reader.read()).done);
    }
    await rest()
    expect((await open("ann")).status).toBe(401)
    let heard = ""
    while (heard.split("event: heartbeat").length < 4)
      heard += new TextDecoder().decode((await bob.reader.read()).value ?? new Uint8Array())
    await bob.reader.cancel()
    const again = await service.fetch("/metrics", { headers: { apikey: "bob" } })
    expect(await again.text()).toContain("cowry_event_streams 0\n")
  } finally {
    await service.close()
  }
})

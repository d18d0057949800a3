/** The port of a process that starts: open before the database is, and looked at before anything is made. */
import { expect, test } from "bun:test"
import { existsSync } from "node:fs"
import { createServer, type Server, type Socket } from "node:net"
import { startCommand } from "../support/command.ts"
import { freePort, ownFolder } from "../support/postgres.ts"

/** A server that takes connections and says nothing. */
const silentServer = async () => {
  const sockets = new Set<Socket>()
  const server: Server = createServer((socket) => {
    sockets.add(socket)
    socket.on("error", () => {})
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as { readonly port: number }
  return {
    port,
    close: () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

const settings = async () => ({ RPC_URL_1: "http://127.0.0.1:1", HOST: "127.0.0.1", PORT: `${await freePort()}` })

test("while a database says nothing the process tells that it lives, and a signal ends it and whoever waits", async () => {
  const database = await silentServer()
  const env = await settings()
  const DATABASE_URL = `postgres://cowry:secret@127.0.0.1:${database.port}/cowry`
  const run = startCommand(["start"], { ...env, DATABASE_URL })
  await run.printed(`cowry listens on http://127.0.0.1:${env.PORT}`)
  const url = `http://127.0.0.1:${env.PORT}`
  expect(await (await fetch(`${url}/health`)).json()).toEqual({ status: "ok" })
  expect((await fetch(`${url}/ready`)).status).toBe(503)
  const waiting = fetch(`${url}/v2/network/mainnet/evm/1/erc20`)
  // It is there before the signal is: the server answers in order of coming.
  await fetch(`${url}/health`)
  expect(await run.stop()).toBe(0)
  expect((await waiting).status).toBe(503)
  database.close()
})

test("a port that is taken is said before a database is made", async () => {
  using folder = ownFolder("cowry-door-")
  const taken = await silentServer()
  const DATA_DIR = `${folder.path}/data`
  const run = startCommand(["start"], { ...(await settings()), PORT: `${taken.port}`, DATA_DIR })
  expect(await run.ended).toBe(1)
  expect(run.output()).toContain(`cowry cannot start: port ${taken.port} is in use: set PORT to a free one (0 = any)`)
  expect(existsSync(`${DATA_DIR}/pgdata/postmaster.pid`)).toBe(false)
  await run.stop()
  taken.close()
})

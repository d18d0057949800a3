/** The examples of deployments: each is YAML of its kind, and names settings that there are. Nothing of them is started here. */
import { expect, test } from "bun:test"
import { readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { YAML } from "bun"
import { chainSettings } from "../../src/config/chainSettings.ts"
import { serviceSettings } from "../../src/config/settings.ts"

const folder = fileURLToPath(new URL("../../deploy/", import.meta.url))
const files = readdirSync(folder, { recursive: true }).map(String)
const read = (file: string): string => readFileSync(join(folder, file), "utf8")

type Tree = Record<string, unknown>
type Environment = Readonly<Record<string, unknown>>

/** Whether a setting of this name is there: its own, or one of a chain. */
const isSetting = (name: string): boolean => {
  const ofChain = /^(.+)_\d+$/.exec(name)?.[1]
  return settingNames.has(name) || (ofChain !== undefined && chainNames.has(ofChain))
}
/** `ROLE` and `DATABASE_READ_URL` belong to the roles of processes. */
const settingNames = new Set([...Object.keys(serviceSettings), "ROLE", "DATABASE_READ_URL"])
const chainNames = new Set(Object.keys(chainSettings))

const expectSettings = (environment: Environment) => {
  expect(Object.keys(environment).filter((name) => !isSetting(name))).toEqual([])
  expect(["writer", "reader"]).toContain(environment.ROLE as string)
  expect("RPC_URL_1" in environment).toBe(environment.ROLE === "writer")
}

test("compose files name services, volumes and settings that there are", () => {
  const composed = files.filter((file) => /^compose\..*\.yaml$/.test(file))
  expect(composed.length).toBe(2)
  for (const file of composed) {
    const { services, volumes } = YAML.parse(read(file)) as { services: Record<string, Tree>; volumes: Tree }
    const ours = Object.entries(services).filter(([, { build }]) => build !== undefined)
    expect(ours.map(([name]) => name)).toEqual(["writer", "reader-1", "reader-2"])
    for (const [, service] of ours) expectSettings(service.environment as Environment)
    // Callers come through the proxy alone, which says who they are; nobody else may say so.
    for (const [name, { environment, ports }] of ours) {
      expect(ports).toBeUndefined()
      expect((environment as Environment).TRUST_PROXY).toBe(name === "writer" ? undefined : "on")
    }
    for (const service of Object.values(services)) {
      expect(service.image ?? service.build).toBeDefined()
      const needs = service.depends_on ?? {}
      for (const name of Array.isArray(needs) ? needs : Object.keys(needs))
        expect(Object.keys(services)).toContain(name)
      for (const mount of (service.volumes ?? []) as Array<string>) {
        const [from = ""] = mount.split(":")
        if (from.startsWith("./")) expect(files).toContain(from.slice(2))
        else expect(Object.keys(volumes)).toContain(from)
      }
    }
  }
})

test("what nginx is told of large headers and forms is the same in front of one and of several", () => {
  const told = ["proxy/nginx.conf", "nginx.conf"].map((file) => {
    const lines = read(file)
      .split("\n")
      .map((line) => line.trim())
    return lines.filter((line) =>
      /^(?:client_max_body|large_client|proxy_buffer|proxy_busy|proxy_set_header X-Forwarded-For)/.test(line),
    )
  })
  expect(told[0]).toHaveLength(7)
  expect(told[1]!.toSorted()).toEqual(told[0]!.toSorted())
})

/** Values of a directive of nginx, in their order. */
const nginxValues = (file: string, directive: string): ReadonlyArray<string> =>
  [...read(file).matchAll(new RegExp(`(?:^|[\\s{])${directive} ([^;{]+);`, "g"))].map(([, value]) => value!)

test("no API key comes into a log of nginx, and no other way of writing it leads to /metrics", () => {
  for (const file of ["proxy/nginx.conf", "nginx.conf"]) {
    const [format = ""] = nginxValues(file, "log_format")
    expect(format).not.toMatch(/\$(?:request|request_uri|args|query_string|uri|arg_|http_)\b/)
    expect(nginxValues(file, "access_log")).toEqual([expect.stringMatching(/ cowry$/)])
    expect(nginxValues(file, "error_log")).toEqual([expect.stringMatching(/ crit$/)])
    expect(read(file)).toContain('if ($request_uri ~ "\\x5c")')
  }
})

test("a reader's 503 of one request takes it out for nobody, and one that is gone is left soon", () => {
  // A refusal counts as a failed try where it may go to the next: BEHIND_MIN_BLOCK of one caller would count for all.
  expect(nginxValues("nginx.conf", "proxy_next_upstream")).toEqual(["error timeout http_502 http_503"])
  const servers = nginxValues("nginx.conf", "server")
  expect(servers).toEqual(["reader-1:3000 max_fails=0", "reader-2:3000 max_fails=0"])
  const [connectTimeout = "60s"] = nginxValues("nginx.conf", "proxy_connect_timeout")
  expect(Number.parseInt(connectTimeout, 10)).toBeLessThan(5)
})

test("what a process tells of itself is not given to the outside by any proxy", () => {
  expect(read("nginx.conf")).toMatch(/location = \/metrics \{\s+return 403;\s+\}/u)
  expect(read("proxy/nginx.conf")).toMatch(/location = \/metrics \{[^}]*deny all;/u)
  expect(read("proxy/Caddyfile")).toMatch(/path \/metrics[^}]*\}\s+respond @outside 403/u)
})

test("nginx has room for all the streams that one caller may have, each of two connections, and for others", () => {
  const streams = Number(serviceSettings.EVENT_STREAMS.default)
  for (const file of ["proxy/nginx.conf", "nginx.conf"]) {
    const [connections = "512"] = nginxValues(file, "worker_connections")
    expect(Number(connections)).toBeGreaterThanOrEqual(4 * streams)
    // Each is an open file, and the usual limit is 1,024.
    const [openFiles = "1024"] = nginxValues(file, "worker_rlimit_nofile")
    expect(Number(openFiles)).toBeGreaterThan(Number(connections))
  }
  expect(nginxValues("nginx.conf", "worker_processes")).toEqual(["auto"])
  expect(nginxValues("nginx.conf", "zone")).toEqual(["readers 64k"])
})

test("each server's data lies in its volume: an image's own is a nameless one, which the next container does not have", () => {
  const folders: Readonly<Record<string, string>> = {
    "postgres:18": "/var/lib/postgresql",
    "citusdata/citus:13.2": "/var/lib/postgresql/data",
  }
  let servers = 0
  for (const file of files.filter((it) => /^compose\..*\.yaml$/.test(it))) {
    const { services } = YAML.parse(read(file)) as { services: Record<string, Tree> }
    for (const [name, { image, volumes = [] }] of Object.entries(services)) {
      const mount = (volumes as Array<string>).find((it) => it.startsWith(`${name}:`))
      if (mount === undefined) continue
      servers++
      expect(mount).toBe(`${name}:${folders[image as string]}`)
    }
  }
  expect(servers).toBe(5)
})

interface Container {
  readonly env: ReadonlyArray<{
    readonly name: string
    readonly value?: string
    readonly valueFrom?: { readonly secretKeyRef: { readonly name: string; readonly key: string } }
  }>
}

test("manifests of Kubernetes name secrets, labels and settings that there are", () => {
  const documents = YAML.parse(read("kubernetes/cowry.yaml")) as ReadonlyArray<Tree>
  const of = (kind: string) => documents.filter((it) => it.kind === kind)
  const [secret] = of("Secret") as unknown as [{ metadata: { name: string }; stringData: Tree }]
  const pods = of("Deployment").map(({ spec }) => (spec as { template: Tree }).template) as unknown as ReadonlyArray<{
    metadata: { labels: Tree }
    spec: { containers: ReadonlyArray<Container> }
  }>
  expect(pods).toHaveLength(2)
  for (const { spec } of pods) {
    const [{ env }] = spec.containers as [Container]
    expectSettings(Object.fromEntries(env.map(({ name, value }) => [name, value])))
    for (const { valueFrom } of env) {
      if (valueFrom === undefined) continue
      expect(valueFrom.secretKeyRef.name).toBe(secret.metadata.name)
      expect(Object.keys(secret.stringData)).toContain(valueFrom.secretKeyRef.key)
    }
  }
  const [service] = of("Service") as unknown as [{ spec: { selector: Tree } }]
  expect(pods.map(({ metadata }) => metadata.labels)).toContainEqual(service.spec.selector)
})

test("a database that repairs a crash for minutes is not given up by whoever waits for it", () => {
  const all = [...files.filter((file) => /^compose\..*\.yaml$/.test(file)), "../compose.yaml"]
  const waited = all.flatMap((file) => {
    const { services } = YAML.parse(read(file)) as { services: Record<string, Tree> }
    return Object.values(services)
      .map(({ healthcheck }) => healthcheck as { start_period: string } | undefined)
      .filter((it) => it !== undefined)
  })
  expect(waited.length).toBeGreaterThanOrEqual(3)
  for (const { start_period } of waited) expect(start_period).toBe("1h")
})

test("each server keeps the statements of reads that callers gave up out of its log, as the embedded one does", () => {
  const all = [...files.filter((file) => /^compose\..*\.yaml$/.test(file)), "../compose.yaml"]
  const commands = all.flatMap((file) => {
    const { services } = YAML.parse(read(file)) as { services: Record<string, Tree> }
    return Object.values(services)
      .map(({ command }) => [command ?? []].flat().join(" "))
      .filter((command) => command.includes("max_locks_per_transaction="))
  })
  expect(commands).toHaveLength(6)
  for (const command of commands) expect(command).toContain("-c log_min_error_statement=fatal")
})

test("a reader that is stopped takes callers until it stands behind no service any more, and has its time after that", () => {
  const documents = YAML.parse(read("kubernetes/cowry.yaml")) as ReadonlyArray<Tree>
  const reader = documents.find(({ metadata }) => (metadata as Tree).name === "cowry-reader") as {
    spec: {
      template: {
        spec: {
          terminationGracePeriodSeconds: number
          containers: [{ lifecycle?: { preStop: { sleep: { seconds: number } } } }]
        }
      }
    }
  }
  const { terminationGracePeriodSeconds, containers } = reader.spec.template.spec
  const seconds = containers[0].lifecycle?.preStop.sleep.seconds ?? 0
  expect(seconds).toBeGreaterThan(0)
  expect(terminationGracePeriodSeconds).toBe(60 + seconds)
})

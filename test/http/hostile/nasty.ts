/** Requests nobody would send in good faith, as fast-check arbitraries: paths, names, values, encodings, methods, headers. */
import fc from "fast-check"
import { actions } from "../../../src/adapters/http/compat/actions.ts"
import { getLogs } from "../../../src/adapters/http/compat/getLogs.ts"
import { nodeActions } from "../../../src/adapters/http/compat/nodeActions.ts"
import { endpoints } from "../../../src/adapters/http/endpoints.ts"
import { ann, apes, gold, potions } from "../world.ts"

/** What a query that is glued together from text would fall for. */
export const sql = [
  "' OR '1'='1",
  "'; drop table balance; --",
  '"; select pg_sleep(10); --',
  "1); delete from cowry.chain where (1=1",
  "1 union select password from pg_shadow",
  "\\'; copy (select 1) to program 'id'; --",
  "$1",
  "$$;select 1;$$",
  "0x' || (select version()) || '",
  "E'\\\\x00'",
  "/**/or/**/1=1",
  "%27%20OR%201%3D1--",
]

/** Values that are too big, too odd, or not text at all. */
export const odd = [
  ...["", "%", "%zz", "%00", "%0", "%E0%A4%A", "%ff%fe", "%u0041", "%ED%A0%80", "\ud800", "+", "%2B", "%2F..%2F"],
  ...["null", "undefined", "NaN", "Infinity", "-0", "1e309", "0x10", "9".repeat(400), "0".repeat(400), "-1", "1.5"],
  ...["9007199254740991", "9007199254740992", "18446744073709551616", String(2n ** 256n), String(2n ** 256n - 1n)],
  ...["[]", "{}", "[object Object]", "__proto__", "constructor", "toString", "hasOwnProperty", "*", ":x", "../../.."],
  ...["all", "43114", "mainnet", "true", "asc", "createdAt,asc", "createdAt,asc,desc", ",", ",,,,", "a=b", "?", "#x"],
  ...["no records found", "\n", "%0d%0aset-cookie:x", "x".repeat(20_000), "💥", "‮", "0xZZ", gold, ann, gold.slice(1)],
  ...["%00".repeat(100), "%252e%252e", "a%00b", "\0", "%C0%80", "<script>", "{{7*7}}", "٣", "１"],
  ...[`${gold},`.repeat(51), "1,".repeat(60), "43114,".repeat(2000)],
]

const nasty = fc.oneof(
  fc.constantFrom(...sql, ...odd),
  fc.string({ unit: "binary", maxLength: 30 }),
  fc.string({ maxLength: 30 }),
  fc.bigInt().map(String),
)

/** Every name that some endpoint or action reads, and some that none reads. */
const names = [
  ...new Set([...endpoints, ...actions].flatMap(({ doc }) => Object.keys(doc.query))),
  ...["blockNumber", "apikey", "apiKey", "includedChainIds[]", "MODULE", "constructor", "__proto__"],
]
const name = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...names) }, nasty)

/** Some of these are fine by themselves, so that a request gets far before it goes wrong. */
const sane = fc.oneof(
  fc.constantFrom(
    ...[...actions, ...nodeActions, getLogs].map(({ module, action }) => `module=${module}&action=${action}`),
  ),
  fc.constantFrom(`address=${ann}`, `contractaddress=${gold}`, `contractaddress=${apes}`, "limit=1", "count=true"),
  fc.constantFrom(`tokenAddress=${apes}`, "tokenId=1", "blockno=2", "sort=asc", "sort=name,asc"),
)

/** A cursor with one character cut out, or of another list, or whole. */
const cursorPair = (cursors: ReadonlyArray<string>) =>
  fc
    .tuple(fc.constantFrom("next", "prev", "nextToken", "prevToken"), fc.constantFrom(...cursors), fc.nat(80))
    .map(([key, cursor, at]) => `${key}=${cursor.slice(0, at)}${cursor.slice(at + 1)}`)

const segment = fc.oneof({ weight: 4, arbitrary: fc.constantFrom("43114", "1", "all", "10") }, nasty)
const contract = fc.oneof(fc.constantFrom(gold, apes, potions), nasty)
const path = fc.oneof(
  {
    weight: 6,
    arbitrary: fc
      .tuple(
        fc.constantFrom(...endpoints.map((endpoint) => endpoint.path)),
        fc.oneof({ weight: 6, arbitrary: fc.constant("mainnet") }, nasty),
        segment,
        contract,
      )
      .map(([template, network, chain, address]) =>
        template
          .replace("{networkId}", network)
          .replace("{chainId}", chain)
          .replace("{address}", address)
          .replace("{token}", gold),
      ),
  },
  nasty.map((text) => `/${text}`),
)

const method = fc.oneof(
  { weight: 12, arbitrary: fc.constant("GET") },
  fc.constantFrom("HEAD", "POST", "OPTIONS", "DELETE", "PUT", "PATCH", "PROPFIND", "QUERY", "MKCOL", "patch"),
)
const headers = fc.dictionary(
  fc.constantFrom(
    ...["apikey", "authorization", "x-forwarded-for", "accept", "content-type", "origin", "if-none-match", "range"],
    ...[
      "x-forwarded-host",
      "cookie",
      "accept-encoding",
      "access-control-request-headers",
      "forwarded",
      "x-http-method",
    ],
  ),
  fc.oneof(
    fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "?")),
    fc.constantFrom("x".repeat(10_000), "Bearer ", "bytes=0-", "127.0.0.1, ".repeat(500), ...sql.slice(0, 3)),
  ),
)

export interface HostileRequest {
  readonly target: string
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Handed over as a server would, which `new Request` would tidy up. */
  readonly raw: boolean
}

/** `cursors`: some that lists have given. */
export const hostileRequest = (cursors: ReadonlyArray<string>): fc.Arbitrary<HostileRequest> => {
  const pair = fc.oneof(
    { weight: 4, arbitrary: fc.tuple(name, nasty).map(([key, value]) => `${key}=${value}`) },
    cursorPair(cursors),
    nasty,
    { weight: 2, arbitrary: sane },
  )
  return fc
    .tuple(path, fc.array(pair, { maxLength: 6 }), method, headers, fc.boolean())
    .map(([path, pairs, method, headers, raw]) => ({ target: `${path}?${pairs.join("&")}`, method, headers, raw }))
}

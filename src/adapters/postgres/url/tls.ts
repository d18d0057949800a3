/** What a database URL says of TLS, and what is said where it fails. */
import { readFileSync } from "node:fs"
import type { Wanted } from "./wanted.ts"

/** None; where the server offers it; or nothing without it; or besides the certificate is checked, and that it is the host's. */
type Use = "none" | "offered" | "demanded" | "verified"

export interface Tls {
  readonly use: Use
  /** What asks for it, as it stands in the URL. */
  readonly by: string
  /** Certificates of authorities, in PEM form; absent = those that the runtime knows. */
  readonly ca?: string
}

const uses: ReadonlyMap<string, Use> = new Map([
  ["disable", "none"],
  ["allow", "demanded"],
  ["prefer", "offered"],
  ["require", "demanded"],
  ["verify-ca", "verified"],
  ["verify-full", "verified"],
])
/** With these no certificate would be checked that could be. */
const weak: ReadonlyArray<string> = ["disable", "allow", "prefer"]

/** `tls` absent = nothing is said of it. */
export const readTls = (all: Readonly<Record<string, string>>): { readonly tls?: Tls } | Wanted => {
  const { sslmode, ssl, sslrootcert, sslnegotiation } = all
  // Of other programs: `no-verify` is libpq's `require`, and `ssl=true` checks the certificate.
  const said = sslmode === "no-verify" ? "require" : sslmode
  const given = said ?? (ssl === "true" ? "verify-full" : ssl === "false" ? "disable" : ssl)
  const name = sslmode === undefined && ssl !== undefined ? "ssl" : "sslmode"
  if (given !== undefined && !uses.has(given))
    return { wanted: `a URL whose ${name} is one of ${[...uses.keys()].join(", ")}` }
  if (sslrootcert !== undefined && weak.includes(given ?? ""))
    return { wanted: `a URL whose ${name} is verify-full, or one without sslrootcert: ${given} checks no certificate` }
  if (sslnegotiation !== undefined && !["postgres", "direct"].includes(sslnegotiation))
    return { wanted: "a URL whose sslnegotiation is postgres or direct" }
  const mode = given ?? (sslrootcert === undefined ? undefined : "verify-full")
  if (sslnegotiation === "direct" && weak.includes(mode ?? "disable"))
    return { wanted: "a URL whose sslmode is require or stricter, or one without sslnegotiation" }
  if (mode === undefined) return {}
  const authorities: { readonly ca?: string } | Wanted =
    sslrootcert === undefined || sslrootcert === "system" ? {} : authoritiesIn(sslrootcert)
  if ("wanted" in authorities) return authorities
  const use = sslrootcert === undefined ? uses.get(mode)! : "verified"
  return { tls: { use, by: given === undefined ? "sslrootcert" : `${name}=${all[name]}`, ...authorities } }
}

/** A file is read once: a pool that is made anew later needs it no more. */
const read = new Map<string, string>()

const authoritiesIn = (path: string): { readonly ca: string } | Wanted => {
  const known = read.get(path)
  if (known !== undefined) return { ca: known }
  const wanted = "a URL whose sslrootcert is system, or a file of certificates in PEM form"
  try {
    const ca = readFileSync(path, "utf8")
    if (!ca.includes("-----BEGIN CERTIFICATE-----")) return { wanted: `${wanted}: it holds none` }
    read.set(path, ca)
    return { ca }
  } catch (cause) {
    return { wanted: `${wanted}: it cannot be read (${String(Object(cause).code)})` }
  }
}

/** As the driver takes it. `host`: whose name the certificate has to hold. */
export const driverTls = ({ use, ca }: Tls, host: string | undefined): unknown => {
  if (use === "none") return false
  if (use !== "verified") return use === "offered" ? "prefer" : "require"
  return { rejectUnauthorized: true, ...(ca === undefined ? {} : { ca }), ...(host === undefined ? {} : { host }) }
}

const unknownAuthority: ReadonlySet<string> = new Set([
  "UNABLE_TO_VERIFY_LEAF_SIGNATURE",
  "UNABLE_TO_GET_ISSUER_CERT",
  "UNABLE_TO_GET_ISSUER_CERT_LOCALLY",
  "SELF_SIGNED_CERT_IN_CHAIN",
  "DEPTH_ZERO_SELF_SIGNED_CERT",
])
const otherFaults = /^CERT_|^ERR_TLS_|^ERR_SSL_|^HOSTNAME_MISMATCH$|^INVALID_CA$/

/** Why TLS came to nothing, and what to do; undefined = it is not known to be that. */
export const tlsFault = (cause: unknown, tls: Tls | undefined): string | undefined => {
  if (tls === undefined) return undefined
  const code = String(Object(cause).code)
  const isDemanded = tls.use === "demanded" || tls.use === "verified"
  if (unknownAuthority.has(code))
    return `who signed its certificate is not known here (${code}): name a file with the authority's certificate in the URL, as sslrootcert=/file, or in NODE_EXTRA_CA_CERTS`
  if (code === "ERR_TLS_CERT_ALTNAME_INVALID" || code === "HOSTNAME_MISMATCH")
    return `its certificate is another host's (${code}): connect by a name that the certificate holds`
  if (otherFaults.test(code)) return `its TLS is not taken (${code}), which ${tls.by} asks for`
  return isDemanded && (code === "ECONNRESET" || code === "CONNECTION_CLOSED")
    ? `it ended the connection (${code}) when it was asked for TLS by ${tls.by}: it may offer none. Switch ssl on at the server or pooler; on a network that you trust leave TLS out of the URL`
    : undefined
}

/** What the query of a database URL may say: how the server is reached, and settings of the server. */

export interface Parameters {
  /** They win over what stands before the path. */
  readonly host?: string
  readonly port?: string
  /** Options of the driver. */
  readonly driver: Readonly<Record<string, unknown>>
  /** Settings of the server, as a connection asks for them when it is opened. */
  readonly server: Readonly<Record<string, string>>
}

const ofDriver: ReadonlyArray<string> = ["ssl", "sslnegotiation", "target_session_attrs", "prepare"]

/** Ours are others, on purpose: they are passed over, as they may be said for other programs. */
const ours: ReadonlyArray<string> =
  "max idle_timeout connect_timeout max_lifetime backoff fetch_types debug publications timeout".split(" ")

export const readParameters = (query: string): Parameters => {
  // The last one of a name counts.
  const { host, port, ...others } = Object.fromEntries(new URLSearchParams(query))
  const driver: Record<string, unknown> = {}
  const server: Record<string, string> = {}
  for (const [name, value] of Object.entries(others)) {
    const known = name === "sslmode" ? "ssl" : name
    if (ofDriver.includes(known)) driver[known] = value === "disable" || value === "false" ? false : value
    else if (name === "keep_alive" || name === "max_pipeline") driver[name] = Number(value)
    else if (!ours.includes(name)) server[name] = value
  }
  return { ...(host === undefined ? {} : { host }), ...(port === undefined ? {} : { port }), driver, server }
}

/** Calls of the service: paths, the caller's key, refusals in the service's own words. */

/** @typedef {{ readonly chainId: string, readonly network: string, readonly name?: string}} Chain */

export const standards = /** @type {const} */ (["erc20", "erc721", "erc1155"])

/** A key that this visitor gave, for this tab alone. */
export const key = {
  get: () => sessionStorage.getItem("apikey") ?? undefined,
  /** @param {string} text */
  set: (text) => (text === "" ? sessionStorage.removeItem("apikey") : sessionStorage.setItem("apikey", text)),
}

export class Refused extends Error {
  /** @param {number} status @param {string} message */
  constructor(status, message) {
    super(message)
    this.status = status
  }
}

/** @type {WeakMap<object, string>} */
const blocks = new WeakMap()
/** The block that an answer is of; undefined where it is of several chains, or of none. @param {object} answer */
export const blockOf = (answer) => blocks.get(answer)

/** Calls of a view that was left end with it. */
let view = new AbortController()
export const leaveView = () => {
  view.abort()
  view = new AbortController()
  isKeyWanted = false
}

let isKeyWanted = false
/** Whether a call of this view was refused for want of a key. */
export const wantsKey = () => isKeyWanted

/** A call of the API as a link that may be followed: a link sends no header. @param {string} href */
export const withKey = (href) => {
  const sent = key.get()
  const url = new URL(href, location.origin)
  if (sent !== undefined) url.searchParams.set("apikey", sent)
  return url.href
}

/**
 * @param {string} path
 * @param {{ readonly anyStatus?: boolean, readonly isShared?: boolean }} [options] `anyStatus`: the body of a refusal is an answer too; `isShared`: it does not end with the view
 * @returns {Promise<any>}
 */
export const read = async (path, { anyStatus = false, isShared = false } = {}) => {
  const sent = key.get()
  const signal = isShared ? null : view.signal
  const answer = await fetch(path, { signal, headers: sent === undefined ? {} : { apikey: sent } })
  const body = await answer.json().catch(() => undefined)
  if (answer.status === 401) isKeyWanted = true
  if (body === undefined || !(answer.ok || anyStatus))
    throw new Refused(answer.status, body?.message ?? body?.error?.message ?? `The service answered ${answer.status}.`)
  const [, block] = /^\d+:(\d+)$/.exec(answer.headers.get("x-as-of-block") ?? "") ?? []
  if (block !== undefined && typeof body === "object" && body !== null) blocks.set(body, block)
  return body
}

/**
 * The path of a call; parameters that are undefined are left out.
 * @param {Chain | { readonly chainId: "all", readonly network: string }} chain
 * @param {string} rest begins with a slash
 * @param {Record<string, string | number | boolean | undefined>} [parameters]
 */
export const pathOf = ({ network, chainId }, rest, parameters = {}) => {
  const given = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)]],
  )
  const query = new URLSearchParams(given).toString().replaceAll("%2C", ",")
  return `/v2/network/${network}/evm/${chainId}${rest}${query === "" ? "" : `?${query}`}`
}

/** @type {Promise<ReadonlyArray<Chain>> | undefined} */
let chains
/** The chains of this service. */
export const readChains = () => {
  chains ??= read("/ui/chains.json", { isShared: true }).catch((fault) => {
    chains = undefined
    throw fault
  })
  return chains
}

/** The networks of these chains, each once. */
export const readNetworks = async () => [...new Set((await readChains()).map(({ network }) => network))]

/** @param {string | null} chainId @returns {Promise<Chain>} */
export const chainOf = async (chainId) => {
  const all = await readChains()
  const found = chainId === null ? all[0] : all.find((chain) => chain.chainId === chainId)
  if (found === undefined) throw new Error(`Chain ${chainId} is not followed by this service.`)
  return found
}

/** The address that a URL names. @param {URLSearchParams} parameters @param {string} name */
export const addressIn = (parameters, name) => {
  const text = parameters.get(name) ?? ""
  if (!/^0x[0-9a-fA-F]{40}$/.test(text))
    throw new Error(`${name}: expected an address, 0x and 40 hex digits, got ${text}`)
  return text.toLowerCase()
}

/** @param {Chain} chain */
export const nameOf = (chain) => chain.name ?? `Chain ${chain.chainId}`

/** What a request names: path and query as the client sent them, which no URL parser has been at. */

/** Path and query as the client sent them. Without a usable Host header some servers give them alone. */
export const targetOf = (url: string): string => {
  const start = url.startsWith("/") ? 0 : url.indexOf("/", url.indexOf("://") + 3)
  if (start === -1) return "/"
  const end = url.indexOf("#", start)
  return end === -1 ? url.slice(start) : url.slice(start, end)
}

/** Scheme and host as the client named them. `forwardedProto`: what a trusted proxy says of the scheme. */
export const originOf = (url: string, forwardedProto?: string | null): string => {
  if (!URL.canParse(url)) return "http://localhost"
  const { protocol, host } = new URL(url)
  return `${forwardedProto === "https" || protocol === "https:" ? "https" : "http"}://${host}`
}

/** Elysia looks for the path behind the eleventh character: a shorter host, or none, would hide it. */
export const routableRequest = (request: Request): Request => {
  const target = targetOf(request.url)
  return request.url.indexOf("/", 11) === request.url.length - target.length
    ? request
    : new Request(`http://localhost${target}`, {
        method: request.method,
        headers: request.headers,
        signal: request.signal,
      })
}

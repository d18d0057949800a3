/** What a client wants to read: one JSON document, or all rows one after the other as NDJSON or CSV. */

/** The media types of answers; the first is what everybody gets who names none of them. */
export const mediaTypes = {
  json: "application/json; charset=utf-8",
  ndjson: "application/x-ndjson; charset=utf-8",
  csv: "text/csv; charset=utf-8; header=present",
} as const
export type MediaType = keyof typeof mediaTypes

/** Without parameters. */
export const nameOf = (type: MediaType): string => mediaTypes[type].split(";")[0]!

const names: Readonly<Record<string, MediaType>> = {
  "application/json": "json",
  "application/x-ndjson": "ndjson",
  "application/ndjson": "ndjson",
  "text/csv": "csv",
}

/** Of a header by which a client says what it likes best. More letters than any client sends: the rest is not looked at. */
export const mostAcceptLetters = 512

/** By the header `Accept`: the one named with the highest quality, of equals the first; JSON where none is named. */
export const wantedMediaType = (accept: string | undefined): MediaType => {
  if (accept === undefined || accept === "*/*" || accept === "application/json") return "json"
  const wanted = accept
    .slice(0, mostAcceptLetters)
    .split(",")
    .flatMap((range) => {
      const [name = "", ...parameters] = range.split(";").map((part) => part.trim().toLowerCase())
      const type = Object.hasOwn(names, name) ? names[name] : undefined
      const quality = parameters.find((parameter) => /^q\s*=/.test(parameter))?.replace(/^q\s*=\s*/, "")
      const weight = quality === undefined ? 1 : Number(quality)
      return type === undefined || !(weight > 0) ? [] : [{ type, weight }]
    })
  return wanted.reduce((best, next) => (next.weight > best.weight ? next : best), {
    type: "json" as MediaType,
    weight: 0,
  }).type
}

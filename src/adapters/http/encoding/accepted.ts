/** Which content coding an answer goes in: what `Accept-Encoding` likes best of what the runtime has (RFC 9110, section 12.5.3). */
import * as zlib from "node:zlib"
import { mostAcceptLetters } from "../contract/mediaType.ts"

export type Encoding = "zstd" | "gzip"

/** Absent where the runtime's zlib is older than Zstandard. */
const hasZstd = typeof zlib.zstdCompress === "function" && typeof zlib.createZstdCompress === "function"

/** Of equal weight the first: less CPU and fewer bytes. */
const offered: ReadonlyArray<Encoding> = hasZstd ? ["zstd", "gzip"] : ["gzip"]

/** Texts below it gain nothing: they fit into one packet as they are. */
export const leastBytes = 1024

/** undefined = as it is. A caller that refuses all there is gets it as it is, too. */
export const acceptedEncoding = (header: string | null | undefined): Encoding | undefined => {
  if (header === null || header === undefined || header === "") return undefined
  const weights = weightsOf(header.slice(0, mostAcceptLetters))
  const weightOf = (coding: string) => weights.get(coding) ?? weights.get(`x-${coding}`) ?? weights.get("*") ?? 0
  const plain = weights.get("identity") ?? 0
  let best: Encoding | undefined
  for (const encoding of offered) {
    const weight = weightOf(encoding)
    if (weight > 0 && weight >= plain && (best === undefined || weight > weightOf(best))) best = encoding
  }
  return best
}

/** By coding, in lower case. A weight that is none counts as 0: what cannot be read is not sent. */
const weightsOf = (header: string): ReadonlyMap<string, number> =>
  new Map(
    header.split(",").flatMap((part) => {
      const [coding = "", ...parameters] = part.split(";").map((it) => it.trim().toLowerCase())
      if (coding === "") return []
      const given = parameters.find((it) => /^q\s*=/.test(it))?.replace(/^q\s*=\s*/, "")
      const isWeight = given === undefined || /^(?:0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.test(given)
      return [[coding, isWeight ? Number(given ?? 1) : 0] as const]
    }),
  )

/** The tag of an encoded answer: other bytes have another strong tag. */
export const tagOf = (tag: string, encoding: Encoding | undefined): string =>
  encoding === undefined ? tag : `${tag.slice(0, -1)}-${encoding}"`

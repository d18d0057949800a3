/** COPY to us, in binary: bytes come as they are, where a row of text has two letters for each. */
import type { Readable } from "node:stream"
import type { Session } from "./session.ts"

/** Before the rows: the signature, flags, and the length of an extension that there is not. */
const headerBytes = 19

/**
 * The only column, a bytea that is never null, of what the query gives. Nothing else may be sent on the session until it is there.
 */
export const copyOut = async (session: Session, query: string): Promise<ReadonlyArray<Buffer>> =>
  valuesOf(
    await session.guard(
      new Promise<Buffer>((resolve, reject) => {
        const statement = session.sql.unsafe(`copy (${query}) to stdout (format binary)`)
        // What fails after it has begun, the driver tells nobody: as in `copyIn`.
        const started = statement as unknown as { reject: (error: unknown) => void }
        const rejectStart = started.reject
        started.reject = (error) => {
          rejectStart(error)
          reject(error)
        }
        statement.readable().then((stream: Readable) => {
          const chunks: Array<Buffer> = []
          stream.on("data", (chunk: Buffer) => chunks.push(chunk))
          stream.on("end", () => resolve(Buffer.concat(chunks)))
          stream.on("error", reject)
        }, reject)
      }),
    ),
  )

const valuesOf = (copied: Buffer): ReadonlyArray<Buffer> => {
  const values: Array<Buffer> = []
  for (let at = headerBytes; copied.readInt16BE(at) === 1; ) {
    const length = copied.readInt32BE(at + 2)
    at += 6 + length
    values.push(copied.subarray(at - length, at))
  }
  return values
}

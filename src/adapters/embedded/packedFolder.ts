/** A data folder in one file: what `initdb` takes a second to make, an image brings along. Each unpacked one gets an identity of its own. */
import { randomBytes } from "node:crypto"
import {
  closeSync,
  constants,
  fchownSync,
  ftruncateSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  writeSync,
} from "node:fs"
import { join, relative } from "node:path"
import { gunzipSync, gzipSync } from "node:zlib"
import type { Account } from "./account.ts"
import { crc32c } from "./crc32c.ts"

/** How it is called, for programs of this version: on another machine, and of another version, it is of no use. */
export const packedName = (version: string): string => `pgdata-${process.platform}-${process.arch}-${version}.gz`

/** What lies ahead of the contents, as JSON behind its length. */
interface Packed {
  /** Parents before what is in them. */
  readonly folders: ReadonlyArray<string>
  readonly files: ReadonlyArray<PackedFile>
  /** Where `pg_control` has the checksum of all that is before it. */
  readonly checksumAt: number
}

/** `length` bytes from `at` on, and zeros up to `size`. Files of one content share it. */
interface PackedFile {
  readonly path: string
  readonly at: number
  readonly length: number
  readonly size: number
}

const control = "global/pg_control"
/** The first page of a segment of the write-ahead log has the server's identifier here, `pg_control` at its start. */
const identifierInLog = 24
const identifierBytes = 8
const isLog = (path: string): boolean => /^pg_wal\/[0-9A-F]{24}$/.test(path)

/** Of a server that has been shut down. Throws where the folder is not as PostgreSQL makes it. */
export const packFolder = (folder: string): Uint8Array => {
  const entries = readdirSync(folder, { recursive: true, withFileTypes: true })
  const pathOf = ({ parentPath, name }: (typeof entries)[number]) => relative(folder, join(parentPath, name))
  const folders = entries.filter((entry) => entry.isDirectory()).map(pathOf)
  const files: Array<PackedFile> = []
  const contents: Array<Uint8Array> = []
  const places = new Map<string, number>()
  let end = 0
  for (const path of entries.filter((entry) => entry.isFile()).map(pathOf)) {
    const whole = readFileSync(join(folder, path))
    let length = whole.length
    while (length > 0 && whole[length - 1] === 0) length--
    const content = whole.subarray(0, length)
    const text = content.toString("latin1")
    const at = places.get(text) ?? end
    files.push({ path, at, length, size: whole.length })
    if (places.has(text)) continue
    places.set(text, at)
    contents.push(content)
    end += length
  }
  const checksumAt = findIdentity(folder, files)
  const head = Buffer.from(JSON.stringify({ folders: folders.sort(), files, checksumAt } satisfies Packed))
  const before = Buffer.alloc(4)
  before.writeUInt32LE(head.length)
  return gzipSync(Buffer.concat([before, head, ...contents]), { level: 9 })
}

/** Where the control file's checksum is; all segments must bear the identifier that it has. */
const findIdentity = (folder: string, files: ReadonlyArray<PackedFile>): number => {
  const bytes = readFileSync(join(folder, control))
  const identifier = bytes.subarray(0, identifierBytes)
  const segments = files.filter(({ path }) => isLog(path)).map(({ path }) => readFileSync(join(folder, path)))
  const isIts = (segment: Buffer) => segment.subarray(identifierInLog, identifierInLog + identifierBytes)
  if (segments.length === 0 || !segments.every((segment) => isIts(segment).equals(identifier)))
    throw new Error("the write-ahead log does not bear the identifier of pg_control where it is looked for")
  for (let at = identifierBytes; at < 512; at += 4)
    if (bytes.readUInt32LE(at) === crc32c(bytes.subarray(0, at))) return at
  throw new Error("pg_control has no checksum where one is looked for")
}

/** Makes `folder`, which is not there yet, for the server's user. What it takes is not made to last. */
export const unpackFolder = (packed: Uint8Array, folder: string, account: Account | undefined): void => {
  const all = gunzipSync(packed)
  const start = 4 + all.readUInt32LE(0)
  const { folders, files, checksumAt } = JSON.parse(all.toString("utf8", 4, start)) as Packed
  for (const path of ["", ...folders]) {
    mkdirSync(join(folder, path), { mode: 0o700 })
    if (account !== undefined) lchownSync(join(folder, path), account.uid, account.gid)
  }
  const identifier = newIdentifier()
  for (const { path, at, length, size } of files) {
    let content: Uint8Array = all.subarray(start + at, start + at + length)
    if (path === control) content = withIdentifier(content, size, identifier, checksumAt)
    if (isLog(path)) content = Buffer.from(content).fill(identifier, identifierInLog, identifierInLog + identifierBytes)
    writeWhole(join(folder, path), content, size, account)
  }
}

const writeWhole = (path: string, content: Uint8Array, size: number, account: Account | undefined): void => {
  const file = openSync(path, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600)
  try {
    for (let at = 0; at < content.length; ) at += writeSync(file, content, at)
    if (size > content.length) ftruncateSync(file, size)
    if (account !== undefined) fchownSync(file, account.uid, account.gid)
  } finally {
    closeSync(file)
  }
}

/** As PostgreSQL makes them: the second in the upper half, so that no two are alike; what it takes of the process below is chance here. */
const newIdentifier = (): Buffer => {
  const identifier = randomBytes(identifierBytes)
  identifier.writeUInt32LE(Math.floor(Date.now() / 1000), identifierBytes / 2)
  return identifier
}

const withIdentifier = (content: Uint8Array, size: number, identifier: Buffer, checksumAt: number): Buffer => {
  const changed = Buffer.alloc(size)
  changed.set(content)
  changed.set(identifier)
  changed.writeUInt32LE(crc32c(changed.subarray(0, checksumAt)), checksumAt)
  return changed
}

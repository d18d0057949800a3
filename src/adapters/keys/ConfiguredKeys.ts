/** The API keys of the settings and of their file, known by their SHA-256 only. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Effect, Layer } from "effect"
import { ApiKeys } from "../../ports/ApiKeys.ts"
import type { FileKeys } from "./keyFile.ts"
import { watchKeys } from "./WatchedKeys.ts"

export interface ConfiguredKeysSettings {
  readonly strict: boolean
  /** SHA-256 of each key, 64 hex digits. */
  readonly sha256: ReadonlyArray<string>
  /** The same of keys that may manage webhooks; absent = none may. */
  readonly managersSha256?: ReadonlyArray<string>
  /** A file of more of both, watched; absent = there is none. */
  readonly file?: string
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

const digestsOf = (setting: string, texts: ReadonlyArray<string>): ReadonlyArray<Buffer> => {
  const digests = texts.map((hex) => Buffer.from(hex, "hex"))
  if (digests.some((digest) => digest.length !== 32)) {
    throw new Error(`${setting}: expected SHA-256 digests of 64 hex digits`)
  }
  return digests
}

const noKeys: FileKeys = { digests: new Set(), managers: new Set() }
/** Of a digest, so many hex digits name its key: not for guessing, and the same in every process, wherever the key stands. */
const nameLength = 16

export const layer = (settings: ConfiguredKeysSettings): Layer.Layer<ApiKeys> => {
  const digests = digestsOf("API_KEYS_SHA256", settings.sha256)
  const managers = digestsOf("WEBHOOK_KEYS_SHA256", settings.managersSha256 ?? [])
  const { strict, file } = settings
  return Layer.effect(
    ApiKeys,
    Effect.map(file === undefined ? Effect.succeed(() => noKeys) : watchKeys(file), (ofFile) => ({
      strict,
      identify: (key) => {
        const digest = sha256(key)
        const [usual, manager] = [isIn(digests, digest), isIn(managers, digest)]
        const hex = digest.toString("hex")
        return usual || manager || ofFile().digests.has(hex) ? hex.slice(0, nameLength) : undefined
      },
      mayManage: (key) => {
        const digest = sha256(key)
        return isIn(managers, digest) || ofFile().managers.has(digest.toString("hex"))
      },
    })),
  )
}

/** Compares with every digest, whichever fits: the time tells nothing. */
const isIn = (all: ReadonlyArray<Buffer>, digest: Buffer): boolean => {
  let found = false
  for (const configured of all) if (timingSafeEqual(configured, digest)) found = true
  return found
}

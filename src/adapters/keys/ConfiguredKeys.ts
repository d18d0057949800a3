/** The API keys of the settings, known by their SHA-256 only. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Layer } from "effect"
import { ApiKeys } from "../../ports/ApiKeys.ts"

export interface ConfiguredKeysSettings {
  readonly strict: boolean
  /** SHA-256 of each key, 64 hex digits. */
  readonly sha256: ReadonlyArray<string>
  /** The same of keys that may manage webhooks; absent = none may. */
  readonly managersSha256?: ReadonlyArray<string>
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/** Compares with every digest, whichever fits: the time tells nothing. */
const digestsOf = (setting: string, texts: ReadonlyArray<string>): ReadonlyArray<Buffer> => {
  const digests = texts.map((hex) => Buffer.from(hex, "hex"))
  if (digests.some((digest) => digest.length !== 32)) {
    throw new Error(`${setting}: expected SHA-256 digests of 64 hex digits`)
  }
  return digests
}

/** Compares with every digest, whichever fits: the time tells nothing. */
export const layer = (settings: ConfiguredKeysSettings): Layer.Layer<ApiKeys> => {
  const digests = digestsOf("API_KEYS_SHA256", settings.sha256)
  const managers = digestsOf("WEBHOOK_KEYS_SHA256", settings.managersSha256 ?? [])
  const findIn = (all: ReadonlyArray<Buffer>, digest: Buffer): number | undefined => {
    let found: number | undefined
    all.forEach((configured, index) => {
      if (timingSafeEqual(configured, digest)) found = index + 1
    })
    return found
  }
  return Layer.succeed(ApiKeys, {
    strict: settings.strict,
    identify: (key) => {
      const digest = sha256(key)
      const [usual, manager] = [findIn(digests, digest), findIn(managers, digest)]
      if (usual !== undefined) return `${usual}`
      return manager === undefined ? undefined : `webhooks ${manager}`
    },
    mayManage: (key) => findIn(managers, sha256(key)) !== undefined,
  })
}

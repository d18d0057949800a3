/** The API keys of the settings, known by their SHA-256 only. */
import { createHash, timingSafeEqual } from "node:crypto"
import { Layer } from "effect"
import { ApiKeys } from "../../ports/ApiKeys.ts"

export interface ConfiguredKeysSettings {
  readonly strict: boolean
  /** SHA-256 of each key, 64 hex digits. */
  readonly sha256: ReadonlyArray<string>
}

const sha256 = (text: string): Buffer => createHash("sha256").update(text, "utf8").digest()

/** Compares with every digest, whichever fits: the time tells nothing. */
export const layer = (settings: ConfiguredKeysSettings): Layer.Layer<ApiKeys> => {
  const digests = settings.sha256.map((hex) => Buffer.from(hex, "hex"))
  if (digests.some((digest) => digest.length !== 32)) {
    throw new Error("API_KEYS_SHA256: expected SHA-256 digests of 64 hex digits")
  }
  return Layer.succeed(ApiKeys, {
    strict: settings.strict,
    identify: (key) => {
      const digest = sha256(key)
      let found: string | undefined
      digests.forEach((configured, index) => {
        if (timingSafeEqual(configured, digest)) found = `${index + 1}`
      })
      return found
    },
  })
}

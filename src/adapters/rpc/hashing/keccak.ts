/** keccak-256, in WebAssembly: a hash takes a ninth of what @noble/hashes took for it (decision 240). */
import { createKeccak } from "hash-wasm"

/** One for all: nothing else runs between its first step and its last. */
const hasher = await createKeccak(256)

/** 32 bytes. */
export const keccak256 = (bytes: Uint8Array): Uint8Array => {
  hasher.init()
  hasher.update(bytes)
  return hasher.digest("binary")
}

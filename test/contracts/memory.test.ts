/** Every store contract over the memory adapters. */
import * as MemoryStore from "../../src/adapters/memory/MemoryStore.ts"
import { storeContracts } from "./all.ts"

storeContracts("memory", async () => MemoryStore.layer, { replays: 100 })

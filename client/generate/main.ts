/** Writes `client/src/generated` anew: `bun run client:types`. */
import { createHash } from "node:crypto"
import { writeFileSync } from "node:fs"
import openapiTS, { astToString } from "openapi-typescript"
import { endpoints } from "../../src/adapters/http/endpoints.ts"
import { makeEvents } from "../../src/adapters/http/events/events.ts"
import { publish } from "../../src/adapters/http/openapi/published.ts"
import { callsText, operationsText } from "./operationsText.ts"
import { codesOf, operationsOf, reducedOf } from "./reduced.ts"
import { stamped } from "./stamp.ts"

const document = JSON.parse(await publish([...endpoints, ...makeEvents({}).endpoints]))
const reduced = reducedOf(document)
const types = astToString(await openapiTS(reduced, { alphabetize: false }))
const digest = (text: string) => createHash("sha256").update(text).digest("hex")
const at = (name: string) => new URL(`../src/generated/${name}`, import.meta.url)
writeFileSync(at("schema.ts"), stamped(JSON.stringify(reduced), types, digest))
const operations = operationsOf(document)
writeFileSync(at("operations.ts"), operationsText(operations, codesOf(document)))
writeFileSync(at("calls.ts"), callsText(operations))

/** Judges answers by the schemas of the OpenAPI document. */
import { Ajv2020 } from "ajv/dist/2020.js"
import type { Exchange } from "../../../src/adapters/http/openapi/examples.ts"
import type { Json } from "../support.ts"

const mapValues = (object: Json, map: (value: Json) => Json): Json =>
  Object.fromEntries(Object.entries(object).map(([name, value]) => [name, map(value)]))

/** The objects of a component that name their fields have no others; parts of an `allOf` describe one object together. */
const closed = (schema: Json): Json => {
  if (Array.isArray(schema)) return schema.map(closed)
  if (typeof schema !== "object" || schema === null) return schema
  const inner = mapValues(schema, closed)
  const isOpen = typeof schema.properties === "object" && schema.additionalProperties === undefined
  return isOpen && schema.type === "object" ? { ...inner, additionalProperties: false } : inner
}

/** Schemas of the document that refuse what they do not name: an answer must not hold more than is documented. */
export const validatorOf = (published: Json) => {
  const strict = JSON.parse(JSON.stringify(published), (name, value) =>
    name === "schemas" ? mapValues(value, closed) : value,
  )
  const ajv = new Ajv2020({ strict: false, validateFormats: false })
  ajv.addSchema(strict, "doc")
  const pointer = (...parts: ReadonlyArray<string>) =>
    `doc#/${parts
      .map((part) => part.replaceAll("~", "~0").replaceAll("/", "~1"))
      .map(encodeURIComponent)
      .join("/")}`
  return {
    /** What is wrong with an answer of the operation; undefined = nothing. */
    complaint: (
      path: string,
      { status, body }: Pick<Exchange, "status" | "body">,
      {
        method = "get",
        media = "application/json",
      }: { readonly method?: string; readonly media?: string | undefined } = {},
    ): string | undefined => {
      const validate = ajv.getSchema(
        pointer("paths", path, method, "responses", String(status), "content", media, "schema"),
      )
      if (validate === undefined) return `status ${status} is not documented`
      return validate(body) ? undefined : ajv.errorsText(validate.errors)
    },
    /** What is wrong with the body of a request. */
    requestComplaint: (path: string, method: string, body: unknown): string | undefined => {
      const validate = ajv.getSchema(
        pointer("paths", path, method, "requestBody", "content", "application/json", "schema"),
      )
      return validate?.(body) ? undefined : `${ajv.errorsText(validate?.errors)}`
    },
    /** What is wrong with the data of an event. */
    eventComplaint: (path: string, name: string, data: unknown): string | undefined => {
      const validate = ajv.getSchema(pointer("paths", path, "get", "x-events", name, "schema"))
      return validate?.(data) ? undefined : `${name}: ${ajv.errorsText(validate?.errors)}`
    },
    actionComplaint: (index: number, result: unknown): string | undefined => {
      const path = "/v2/network/{networkId}/evm/{chainId}/compat/api"
      const validate = ajv.getSchema(pointer("paths", path, "get", "x-actions", String(index), "result"))
      return validate?.(result) ? undefined : `${ajv.errorsText(validate?.errors)}`
    },
  }
}

/** The records as OpenAPI 3.1 components: each by its identifier, lists of them by the identifier and `List`. */
import { JsonSchema, Schema, SchemaRepresentation } from "effect"
import { type Json, refTo } from "./json.ts"

export interface Schemas {
  /** The component of a record, or its schema where it has no name. */
  readonly of: (schema: Schema.Top) => Json
  readonly components: Json
}

export const schemasOf = (wanted: ReadonlyArray<Schema.Top>): Schemas => {
  const [first, ...rest] = [...new Set(wanted)].map((schema) => Schema.toCodecJson(schema).ast)
  if (first === undefined) return { of: () => ({}), components: {} }
  const representation = SchemaRepresentation.toRepresentations([first, ...rest])
  const { schemas, definitions } = JsonSchema.toMultiDocumentOpenApi3_1(
    SchemaRepresentation.toJsonSchemaMultiDocument(representation),
  )
  const components: Record<string, unknown> = { ...definitions }
  const named = [...new Set(wanted)].map((schema, index): readonly [Schema.Top, Json] => {
    const json = schemas[index] ?? {}
    const name = listNameOf(json)
    if (name === undefined) return [schema, json]
    components[name] = json
    return [schema, refTo("schemas", name)]
  })
  const found = new Map(named)
  return { of: (schema) => found.get(schema) ?? {}, components }
}

/** The name of a list envelope: that of the record in it. */
const listNameOf = (schema: Json): string | undefined => {
  const { properties } = schema as { readonly properties?: { readonly items?: { readonly items?: Json } } }
  const record = properties?.items?.items?.$ref
  return typeof record === "string" ? `${record.slice(record.lastIndexOf("/") + 1)}List` : undefined
}

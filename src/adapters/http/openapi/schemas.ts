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
  const components: Record<string, unknown> = { ...plain(definitions) }
  const named = [...new Set(wanted)].map((schema, index): readonly [Schema.Top, Json] => {
    const json = plain(schemas[index] ?? {})
    const name = listNameOf(json)
    if (name === undefined) return [schema, json]
    components[name] = json
    return [schema, refTo("schemas", name)]
  })
  const found = new Map(named)
  return { of: (schema) => found.get(schema) ?? {}, components }
}

/**
 * A field's own description in the place of its type's: Effect puts it beside that, where readers do not show it. That more
 * fields may come is so without a word, and said in words it loosens the types that are made from the document.
 */
const plain = (schema: Json): Json =>
  JSON.parse(JSON.stringify(schema), (name, value) => {
    if (name === "additionalProperties" && value === true) return undefined
    const own: unknown = value?.allOf?.length === 1 ? value.allOf[0] : undefined
    if (typeof own !== "object" || own === null || Object.keys(own).join() !== "description") return value
    const { allOf: _all, ...rest } = value
    if ("$ref" in rest) return value
    const both = [(own as { readonly description: string }).description, rest.description].filter(Boolean)
    return { ...rest, description: both.join(". ") }
  })

/** The name of a list envelope: that of the record in it. */
const listNameOf = (schema: Json): string | undefined => {
  const { properties } = schema as { readonly properties?: { readonly items?: { readonly items?: Json } } }
  const record = properties?.items?.items?.$ref
  return typeof record === "string" ? `${record.slice(record.lastIndexOf("/") + 1)}List` : undefined
}

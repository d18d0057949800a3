/** What the parts of the document are made of. */

/** A JSON object. */
export type Json = Readonly<Record<string, unknown>>

export const refTo = (section: string, name: string): Json => ({ $ref: `#/components/${section}/${name}` })

export const mediaOf = (schema: Json, examples: Json = {}): Json => ({
  "application/json": { schema, ...(Object.keys(examples).length === 0 ? {} : { examples }) },
})

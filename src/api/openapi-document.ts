/** A JSON Schema, or a part of an OpenAPI document. */
export type JsonSchema = Readonly<Record<string, unknown>>

/** An OpenAPI 3.1 document. */
export type OpenApi = Readonly<{
  openapi: '3.1.0'
  paths: Readonly<Record<string, Readonly<Record<string, JsonSchema>>>>
  components: Readonly<{ schemas: Readonly<Record<string, JsonSchema>>; securitySchemes: JsonSchema }>
}> &
  JsonSchema

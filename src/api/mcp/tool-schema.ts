import type { StandardSchemaWithJSON } from '@modelcontextprotocol/server'
import { z } from 'zod'
import { fieldErrors } from '../../lib/field-errors.ts'
import { asWritten } from '../openapi.ts'

/**
 * A schema as the MCP kit takes one. Its JSON Schema describes what may be written, and a wrong argument is named by
 * its field.
 */
export function toolSchema<schema extends z.ZodObject>(
  schema: schema,
): StandardSchemaWithJSON<z.input<schema>, z.output<schema>> {
  const json = (io: 'input' | 'output') => () =>
    z.toJSONSchema(schema, { io, unrepresentable: 'any', override: asWritten }) as Record<string, unknown>
  return {
    '~standard': {
      version: 1,
      vendor: 'countersign',
      validate(value) {
        const parsed = schema.safeParse(value)
        if (parsed.success) return { value: parsed.data }
        const issues = fieldErrors(parsed.error, 'arguments')
        return { issues: issues.map(({ path, message }) => ({ message: `${path}: ${message}` })) }
      },
      jsonSchema: { input: json('input'), output: json('output') },
    },
  }
}

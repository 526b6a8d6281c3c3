import { readFileSync, writeFileSync } from 'node:fs'
import { z } from 'zod'
import { ConfigFile } from '../src/config-file.ts'

// Writes the JSON Schema of agents.config.json for editors, from the schema that the process itself reads it by.

const FILE = new URL('../agents.config.schema.json', import.meta.url)

/** The JSON Schema of the configuration file, as text. */
export function configSchemaText(): string {
  return `${JSON.stringify(z.toJSONSchema(ConfigFile, { io: 'input' }), null, 2)}\n`
}

/** What is shipped now. */
export function shippedConfigSchema(): string {
  return readFileSync(FILE, 'utf8')
}

if (import.meta.main) writeFileSync(FILE, configSchemaText())

import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { configSchemaText, shippedConfigSchema } from '../../scripts/config-schema.ts'
import { ConfigFile } from '../../src/config-file.ts'

test('the shipped JSON Schema is that of the configuration file: npm run config-schema', () => {
  assert.equal(shippedConfigSchema(), configSchemaText())
})

test('the shipped configuration is valid and names its schema', () => {
  const shipped: unknown = JSON.parse(readFileSync(new URL('../../agents.config.json', import.meta.url), 'utf8'))
  assert.equal(ConfigFile.parse(shipped).$schema, './agents.config.schema.json')
})

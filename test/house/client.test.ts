import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationFiles, shippedFiles } from '../../scripts/client.ts'

test('the types of the client are those of the OpenAPI document: npm run client', () => {
  assert.deepEqual(shippedFiles(), operationFiles())
})

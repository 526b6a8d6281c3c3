import assert from 'node:assert/strict'
import { test } from 'node:test'
import { operationsText, shippedOperations } from '../../scripts/client.ts'

test('the types of the client are those of the OpenAPI document: npm run client', () => {
  assert.equal(shippedOperations(), operationsText())
})

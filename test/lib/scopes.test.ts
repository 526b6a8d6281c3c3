import assert from 'node:assert/strict'
import { it } from 'node:test'
import { holds } from '../../src/lib/scopes.ts'

it('one of the needed scopes is enough', () => {
  assert.equal(holds(['verdicts:create:own'], ['transactions:create:own', 'verdicts:create:own']), true)
  assert.equal(holds(['verdicts:create:own'], ['transactions:create:own']), false)
})

it('any implies own, and own never any', () => {
  assert.equal(holds(['policies:write:any'], ['policies:write:own']), true)
  assert.equal(holds(['policies:write:own'], ['policies:write:any']), false)
  assert.equal(holds(['policies:write:any'], ['policies:read:own']), false)
})

it('nobody holds what names no scope', () => {
  assert.equal(holds(['policies:write:any'], []), false)
  assert.equal(holds([], ['policies:write:own']), false)
})

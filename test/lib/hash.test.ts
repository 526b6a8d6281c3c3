import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { keccak256 as viemKeccak256 } from 'viem'
import { keccak256, sha256 } from '../../src/lib/hash.ts'

describe('hashes', () => {
  it('are those that another implementation gives', () => {
    const property = fc.property(fc.uint8Array({ maxLength: 400 }), (bytes) => {
      assert.equal(keccak256(bytes), viemKeccak256(bytes))
      assert.equal(sha256(bytes), `0x${createHash('sha256').update(bytes).digest('hex')}`)
    })
    fc.assert(property, { seed: 5, numRuns: 100 })
  })

  it('of a text are those of its UTF-8 bytes, each by itself', () => {
    assert.equal(keccak256(''), '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470')
    assert.equal(keccak256('é'), keccak256(Buffer.from('é')))
    assert.equal(keccak256(''), keccak256(new Uint8Array()))
  })
})

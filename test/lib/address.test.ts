import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { getAddress } from 'viem'
import { checksumAddress, isAddress, toAddress } from '../../src/lib/address.ts'

const addresses = fc
  .uint8Array({ minLength: 20, maxLength: 20 })
  .map((bytes) => toAddress(`0x${Buffer.from(bytes).toString('hex')}`))

describe('addresses', () => {
  it('have the checksum of EIP-55, as another implementation has it', () => {
    const property = fc.property(addresses, (address) => assert.equal(checksumAddress(address), getAddress(address)))
    fc.assert(property, { seed: 3, numRuns: 100 })
  })

  it('are those in one case or with a right checksum', () => {
    const mixed = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
    for (const text of [mixed, mixed.toLowerCase(), `0x${mixed.slice(2).toUpperCase()}`])
      assert.ok(isAddress(text), text)
  })

  it('are nothing else', () => {
    const right = 'a0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
    const wrong = [
      '',
      '0x',
      right,
      `0x${right}0`,
      `0x${right.slice(1)}`,
      `0X${right}`,
      ` 0x${right}`,
      `0x${right}\n`,
      `0x${right.slice(0, 39)}g`,
      '0xa0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48',
      'vitalik.eth',
    ]
    for (const text of wrong) assert.equal(isAddress(text), false, JSON.stringify(text))
  })
})

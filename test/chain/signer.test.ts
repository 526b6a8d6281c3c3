import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { keccak256, parseTransaction, recoverTransactionAddress } from 'viem'
import { createSigner, type UnsignedTx } from '../../src/chain/signer.ts'
import { toAddress } from '../../src/lib/address.ts'
import type { Hex } from '../../src/lib/hash.ts'

const KEY = '0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80'
const ADDRESS = '0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266'
const tx: UnsignedTx = {
  chainId: 1,
  nonce: 3,
  to: toAddress(`0x${'22'.repeat(20)}`),
  data: '0xa9059cbb',
  value: 5n,
  gasLimit: 60_000n,
  maxFeePerGas: 30n,
  maxPriorityFeePerGas: 2n,
}

const arbitraryTx = fc.record({
  chainId: fc.integer({ min: 1, max: 2 ** 31 }),
  nonce: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 2 ** 40 })),
  to: fc
    .uint8Array({ minLength: 20, maxLength: 20 })
    .map((bytes) => toAddress(`0x${Buffer.from(bytes).toString('hex')}`)),
  data: fc.uint8Array({ maxLength: 200 }).map((bytes): Hex => `0x${Buffer.from(bytes).toString('hex')}`),
  value: fc.oneof(fc.constant(0n), fc.bigInt({ min: 0n, max: (1n << 256n) - 1n })),
  gasLimit: fc.bigInt({ min: 0n, max: 1n << 40n }),
  maxFeePerGas: fc.bigInt({ min: 1n << 20n, max: 1n << 60n }),
  maxPriorityFeePerGas: fc.bigInt({ min: 0n, max: 1n << 20n }),
})

describe('signer', () => {
  it('signs every field as given, in EIP-1559, with the key’s account', async () => {
    const { raw, hash } = await createSigner(KEY).sign(tx)
    assert.equal(createSigner(KEY).address, ADDRESS)
    assert.equal(hash, keccak256(raw))
    const { chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas, type } = parseTransaction(raw)
    assert.deepEqual(
      { chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas, type },
      {
        chainId: 1,
        nonce: 3,
        to: tx.to,
        data: tx.data,
        value: 5n,
        gas: 60_000n,
        maxFeePerGas: 30n,
        maxPriorityFeePerGas: 2n,
        type: 'eip1559',
      },
    )
    const signedBy = await recoverTransactionAddress({ serializedTransaction: raw as `0x02${string}` })
    assert.equal(signedBy.toLowerCase(), ADDRESS)
  })

  it('signs any transaction, zeros and empty calldata too, and gives the same bytes again', async () => {
    const signer = createSigner(KEY)
    await fc.assert(
      fc.asyncProperty(arbitraryTx, async (any) => {
        assert.deepEqual(await signer.sign(any), await signer.sign(any))
      }),
      { numRuns: 25 },
    )
  })

  it('signs calldata in capitals as the same bytes', async () => {
    const signer = createSigner(KEY)
    assert.equal((await signer.sign({ ...tx, data: '0xA9059CBB' })).hash, (await signer.sign(tx)).hash)
  })

  it('refuses what cannot be signed, without a word of the key', async () => {
    const signer = createSigner(KEY)
    for (const wrong of [
      { maxPriorityFeePerGas: 31n },
      { chainId: 0 },
      { to: '0x1234' as const },
      { value: 1n << 256n },
      { nonce: -1 },
      { nonce: 1.5 },
      { maxFeePerGas: 1n << 256n },
    ]) {
      await assert.rejects(signer.sign({ ...tx, ...wrong }), (thrown) => {
        assert.match(String(thrown), /could not be signed|differs|not of EIP-1559/)
        assert.doesNotMatch(inspect(thrown, { depth: 9 }), /ac0974bec39a17e3/i)
        return true
      })
    }
  })

  it('refuses a key that is none, without printing it', () => {
    const zero: Hex = `0x${'00'.repeat(32)}`
    for (const key of [
      '0x',
      '0xabcdef',
      zero,
      `0x${'ff'.repeat(32)}`,
      `0x${'zz'.repeat(32)}`,
      '0xundefined',
    ] as const) {
      assert.throws(
        () => createSigner(key),
        (thrown) => {
          assert.match(inspect(thrown), /private key must be/)
          if (key.length > 4) assert.ok(!inspect(thrown).includes(key.slice(2)))
          return true
        },
      )
    }
  })

  it('shows nothing of the key', () => {
    const signer = createSigner(KEY)
    assert.deepEqual(Object.keys(signer).sort(), ['address', 'sign', 'signDigest'])
    assert.doesNotMatch(`${inspect(signer, { depth: 9, showHidden: true })} ${JSON.stringify(signer)}`, /ac0974be/)
  })
})

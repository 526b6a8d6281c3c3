import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { digestOf, members } from '../../src/policy/typed-data.ts'

const HASHES = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'vectors', 'permit2', 'permit2-sdk-interop.json'), 'utf8'),
) as Readonly<Record<string, string>>

const domain = { name: 'Permit2', chainId: 31337, verifyingContract: '0xf0ffb02791362602acf0edce574e74dd9bd3120e' }
const permitted = { token: '0xb9728f6DE23E1Beeb7Bab38cbf0e60C0A48136eC', amount: '1000000000000000000' }
const spender = '0x0000000000000000000000000000000000000001'
const expiration = '10000000000000'
const transfer = { permitted, spender, nonce: '0', deadline: expiration }
const PERMIT_DETAILS = [...members('address token,uint160 amount,uint48 expiration,uint48 nonce')]
const TOKEN_PERMISSIONS = [...members('address token,uint256 amount')]
const struct = (text: string) => [...members(text)]

describe('the digest of a signed message', () => {
  const messages = {
    _PERMIT_HASH: {
      types: {
        PermitSingle: struct('PermitDetails details,address spender,uint256 sigDeadline'),
        PermitDetails: PERMIT_DETAILS,
      },
      primaryType: 'PermitSingle',
      message: { details: { ...permitted, expiration, nonce: 0 }, spender, sigDeadline: expiration },
    },
    _PERMIT_BATCH_HASH: {
      types: {
        PermitBatch: struct('PermitDetails[] details,address spender,uint256 sigDeadline'),
        PermitDetails: PERMIT_DETAILS,
      },
      primaryType: 'PermitBatch',
      message: { details: [{ ...permitted, expiration, nonce: 0 }], spender, sigDeadline: expiration },
    },
    _PERMIT_TRANSFER: {
      types: {
        PermitTransferFrom: struct('TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline'),
        TokenPermissions: TOKEN_PERMISSIONS,
      },
      primaryType: 'PermitTransferFrom',
      message: transfer,
    },
    _PERMIT_TRANSFER_BATCH: {
      types: {
        PermitBatchTransferFrom: struct('TokenPermissions[] permitted,address spender,uint256 nonce,uint256 deadline'),
        TokenPermissions: TOKEN_PERMISSIONS,
      },
      primaryType: 'PermitBatchTransferFrom',
      message: { ...transfer, permitted: [permitted] },
    },
    _PERMIT_TRANSFER_WITNESS: {
      types: {
        PermitWitnessTransferFrom: struct(
          'TokenPermissions permitted,address spender,uint256 nonce,uint256 deadline,MockWitness witness',
        ),
        TokenPermissions: TOKEN_PERMISSIONS,
        MockWitness: struct('uint256 mock'),
      },
      primaryType: 'PermitWitnessTransferFrom',
      message: { ...transfer, witness: { mock: '0' } },
    },
  }

  test('is that of Permit2’s own kit, for each kind of permit', () => {
    assert.deepEqual(Object.keys(messages).sort(), Object.keys(HASHES).sort())
    for (const [name, message] of Object.entries(messages))
      assert.equal(digestOf({ domain, ...message }), HASHES[name], name)
  })
})

// Signatures of accounts that are contracts. The chain is a stand-in that knows who was asked what.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { decodeFunctionData, encodeAbiParameters, encodeFunctionResult, hashMessage, parseAbi } from 'viem'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { type Signed, voucherOf } from '../../src/auth/siwe-signature.ts'
import type { ChainCall, ChainClient, Chains } from '../../src/chain/index.ts'
import { type Address, toAddress } from '../../src/lib/address.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import type { Hex } from '../../src/lib/hash.ts'
import { ok, type Result, refuse } from '../../src/lib/result.ts'

const ERC1271 = parseAbi(['function isValidSignature(bytes32,bytes) view returns (bytes4)'])
const MULTICALL = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])
const MAGIC: Hex = `0x1626ba7e${'00'.repeat(28)}`
const ACCOUNT = toAddress('0xa5b3a53800cd49669f34de80f2c569c6d4ca3009')
const FACTORY = toAddress('0x00000000000000000000000000000000000fac70')
const text = 'a message'

/** Chains of which one answers, and what it was asked. */
function chainsOf(chainId: number, answer: (call: ChainCall) => Result<Hex>) {
  const asked: ChainCall[] = []
  const client: Pick<ChainClient, 'call'> = {
    async call(call) {
      asked.push(call)
      return answer(call)
    },
  }
  const chains: Chains = { of: (id) => (id === chainId ? (client as ChainClient) : undefined) }
  return { chains, asked }
}

const signed = (signature: Hex, address: Address = ACCOUNT): Signed => ({ text, signature, address, chainId: 1 })

describe('the signature of a key', () => {
  it('is verified without asking anybody', async () => {
    const account = privateKeyToAccount(generatePrivateKey())
    const { chains, asked } = chainsOf(1, () => ok(MAGIC))
    const signature = await account.signMessage({ message: text })
    assert.equal(await voucherOf(signed(signature, toAddress(account.address)), chains), 'key')
    // Some wallets count the recovery bit from 0.
    const low: Hex = `0x${signature.slice(2, -2)}${(Number.parseInt(signature.slice(-2), 16) - 27).toString(16).padStart(2, '0')}`
    assert.equal(await voucherOf(signed(low, toAddress(account.address)), chains), 'key')
    assert.deepEqual(asked, [])
  })
})

describe('the signature of a contract', () => {
  it('counts where the contract on the chain of the message says so, for exactly that text', async () => {
    const { chains, asked } = chainsOf(1, () => ok(MAGIC))
    assert.equal(await voucherOf(signed('0x1234'), chains), 'contract')
    assert.equal(asked[0]?.to, ACCOUNT)
    assert.deepEqual(decodeFunctionData({ abi: ERC1271, data: asked[0]?.data ?? '0x' }).args, [
      hashMessage(text),
      '0x1234',
    ])
  })

  it('counts on no other chain', async () => {
    const { chains, asked } = chainsOf(8453, () => ok(MAGIC))
    assert.equal(await voucherOf(signed('0x1234'), chains), 'nobody')
    assert.deepEqual(asked, [])
  })

  it('does not count where the answer is anything else', async () => {
    const answers: readonly Result<Hex>[] = [
      refuse('reverted'),
      ok('0x'),
      ok('0x1626ba7e'),
      ok<Hex>(`0xffffffff${'00'.repeat(28)}`),
      ok<Hex>(`0x${'00'.repeat(31)}01`),
      ok<Hex>(`0x1626ba7e${'00'.repeat(27)}01`),
      ok<Hex>(`${MAGIC}00`),
    ]
    for (const answer of answers) {
      const { chains } = chainsOf(1, () => answer)
      assert.equal(await voucherOf(signed('0x1234'), chains), 'nobody', JSON.stringify(answer))
    }
  })

  it('is a fault where the chain does not answer', async () => {
    const { chains } = chainsOf(1, () => {
      throw new CountersignError('unavailable', 'The node did not answer.')
    })
    await assert.rejects(voucherOf(signed('0x1234'), chains), { code: 'unavailable' })
  })
})

describe('the signature of a contract that is not deployed yet', () => {
  const inner: Hex = '0x5678'
  const wrapped: Hex = `${encodeAbiParameters(
    [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
    [FACTORY, '0xdeadbeef', inner],
  )}${'6492'.repeat(16)}`
  const batch = (...results: readonly { success: boolean; returnData: Hex }[]) =>
    encodeFunctionResult({ abi: MULTICALL, functionName: 'aggregate3', result: [...results] })
  const good = batch({ success: true, returnData: '0x' }, { success: true, returnData: MAGIC })

  it('counts where the account answers right after its deployment', async () => {
    const { chains, asked } = chainsOf(1, ({ to }) => ok(to === ACCOUNT ? '0x' : good))
    assert.equal(await voucherOf(signed(wrapped), chains), 'contract')
    const [calls] = decodeFunctionData({ abi: MULTICALL, data: asked[1]?.data ?? '0x' }).args
    assert.deepEqual(
      calls.map(({ target, callData }) => [target.toLowerCase(), callData.slice(0, 10)]),
      [
        [FACTORY, '0xdeadbeef'],
        [ACCOUNT, '0x1626ba7e'],
      ],
    )
  })

  it('is asked of the account alone where it has code, and nothing is deployed for the question', async () => {
    for (const [answer, voucher] of [
      [MAGIC, 'contract'],
      [`0xffffffff${'00'.repeat(28)}`, 'nobody'],
    ] as const) {
      const { chains, asked } = chainsOf(1, () => ok(answer))
      assert.equal(await voucherOf(signed(wrapped), chains), voucher)
      assert.deepEqual(
        asked.map(({ to }) => to),
        [ACCOUNT],
      )
      assert.equal(decodeFunctionData({ abi: ERC1271, data: asked[0]?.data ?? '0x' }).args[1], inner)
    }
  })

  it('does not count where deploying or asking fails, or the wrapping is broken', async () => {
    const answers: Hex[] = [
      '0x',
      batch(),
      batch({ success: true, returnData: MAGIC }),
      batch({ success: false, returnData: '0x' }, { success: true, returnData: MAGIC }),
      batch({ success: true, returnData: '0x' }, { success: true, returnData: '0x' }),
      batch({ success: true, returnData: MAGIC }, { success: true, returnData: '0x' }),
    ]
    for (const answer of answers) {
      const { chains } = chainsOf(1, ({ to }) => ok(to === ACCOUNT ? '0x' : answer))
      assert.equal(await voucherOf(signed(wrapped), chains), 'nobody')
    }
    const { chains, asked } = chainsOf(1, () => ok(MAGIC))
    assert.equal(await voucherOf(signed(`0x1234${'6492'.repeat(16)}`), chains), 'nobody')
    assert.deepEqual(asked, [])
  })
})

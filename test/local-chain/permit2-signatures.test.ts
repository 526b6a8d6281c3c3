// What a signed message gives away, beside what the real Permit2 lets its spender take with the signature.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { encodeFunctionData, type Hex, maxUint256, parseAbi } from 'viem'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import { ProposedTx } from '../../src/schema/action.ts'
import { createWallet } from './wallet.ts'

const ABI = parseAbi([
  'function approve(address,uint256)',
  'function permitTransferFrom(((address,uint256),uint256,uint256),(address,uint256),address,bytes)',
  'function permit(address,((address,uint160,uint48,uint48),address,uint256),bytes)',
  'function transferFrom(address,address,uint160,address)',
])

describe('signed permits, at the real Permit2', () => {
  let chain: LocalChain
  let permit2: Hex
  let token: Hex
  before(async () => {
    chain = await startLocalChain()
    permit2 = chain.addresses.uniswap.permit2
    token = chain.addresses.tokens.USDC
  })
  after(() => chain.stop())

  test('give their spender what was decoded, and no more', async () => {
    const [owner, sender] = [createWallet(chain), createWallet(chain)]
    const spender = sender.address
    await chain.fund(owner.address, { native: 10n ** 18n, tokens: { USDC: 1_000n } })
    await chain.fund(spender, { native: 10n ** 18n, tokens: {} })
    await owner.send(token, encodeFunctionData({ abi: ABI, functionName: 'approve', args: [permit2, maxUint256] }))

    const deadline = '4102444800'
    const domain = { name: 'Permit2', chainId: 1, verifyingContract: permit2 }
    const decoded = (typedData: object) => {
      const result = decodeProposed(
        ProposedTx.parse({ protocol: 'permit2', chainId: 1, typedData }),
        toAddress(owner.address),
      )
      assert.ok(result.ok, result.ok ? '' : result.reason)
      const [grant] = result.value.legs[0].grants
      assert.ok(grant && result.value.digest)
      assert.deepEqual([grant.asset, grant.spender, grant.amount], [toAddress(token), toAddress(spender), 40n])
      return result.value.digest
    }

    const once = decoded({
      domain,
      primaryType: 'PermitTransferFrom',
      types: {
        PermitTransferFrom: [
          { name: 'permitted', type: 'TokenPermissions' },
          { name: 'spender', type: 'address' },
          { name: 'nonce', type: 'uint256' },
          { name: 'deadline', type: 'uint256' },
        ],
        TokenPermissions: [
          { name: 'token', type: 'address' },
          { name: 'amount', type: 'uint256' },
        ],
      },
      message: { permitted: { token, amount: '40' }, spender, nonce: '0', deadline },
    })
    const signature = await owner.account.sign({ hash: once })
    const take = (amount: bigint) =>
      encodeFunctionData({
        abi: ABI,
        functionName: 'permitTransferFrom',
        args: [[[token, 40n], 0n, BigInt(deadline)], [spender, amount], owner.address, signature],
      })
    await assert.rejects(sender.send(permit2, take(41n)))
    await sender.send(permit2, take(40n))
    assert.equal(await sender.balanceOf(token), 40n)
    await assert.rejects(sender.send(permit2, take(40n)))

    const allowance = decoded({
      domain,
      primaryType: 'PermitSingle',
      types: {
        PermitSingle: [
          { name: 'details', type: 'PermitDetails' },
          { name: 'spender', type: 'address' },
          { name: 'sigDeadline', type: 'uint256' },
        ],
        PermitDetails: [
          { name: 'token', type: 'address' },
          { name: 'amount', type: 'uint160' },
          { name: 'expiration', type: 'uint48' },
          { name: 'nonce', type: 'uint48' },
        ],
      },
      message: {
        details: { token, amount: '40', expiration: deadline, nonce: '0' },
        spender,
        sigDeadline: deadline,
      },
    })
    const permit = [[token, 40n, Number(deadline), 0], spender, BigInt(deadline)] as const
    const args = [owner.address, permit, await owner.account.sign({ hash: allowance })] as const
    await sender.send(permit2, encodeFunctionData({ abi: ABI, functionName: 'permit', args }))
    const move = (amount: bigint) =>
      encodeFunctionData({ abi: ABI, functionName: 'transferFrom', args: [owner.address, spender, amount, token] })
    await assert.rejects(sender.send(permit2, move(41n)))
    await sender.send(permit2, move(40n))
    assert.equal(await sender.balanceOf(token), 80n)
  })
})

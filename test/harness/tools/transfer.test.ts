import assert from 'node:assert/strict'
import { test } from 'node:test'
import { decodeFunctionData, erc20Abi } from 'viem'
import type { Tool } from '../../../src/harness/tool.ts'
import { approveToken } from '../../../src/harness/tools/approve-token.ts'
import { transfer } from '../../../src/harness/tools/transfer.ts'
import { STRANGER, standInContext } from '../stand-in-reader.ts'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'

async function propose(tool: Tool, args: object) {
  assert.equal(tool.kind, 'action')
  const proposal = await tool.propose(args, standInContext())
  if (!proposal.ok) return { refused: proposal.reason }
  assert.equal(proposal.value.steps.length, 1)
  const [step] = proposal.value.steps
  return { ...step.tx, summary: step.summary }
}

test("transfer sends the chain's coin as a plain value", async () => {
  assert.deepEqual(await propose(transfer, { token: 'ETH', to: STRANGER, amount: '0.5' }), {
    protocol: 'native',
    chainId: 1,
    to: STRANGER,
    data: '0x',
    value: '0x6f05b59d3b20000',
    summary: 'Send 0.5 ETH to 0x000000000000000000000000000000000000bEEF',
  })
})

test('transfer sends a token by its contract, with the exact amount', async () => {
  const tx = await propose(transfer, { token: 'USDC', to: STRANGER, amount: '5.000001' })
  assert.ok('data' in tx)
  assert.deepEqual([tx.protocol, tx.to, tx.value], ['erc20', USDC, '0x0'])
  const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: tx.data })
  assert.deepEqual([functionName, args?.map(String).map((s) => s.toLowerCase())], ['transfer', [STRANGER, '5000001']])
})

test('transfer refuses nothing, too many decimals and an address with a wrong checksum', async () => {
  for (const [args, words] of [
    [{ token: 'USDC', to: STRANGER, amount: '0.0' }, /more than zero/],
    [{ token: 'USDC', to: STRANGER, amount: '1.0000001' }, /more decimals/],
    [{ token: 'USDC', to: '0x000000000000000000000000000000000000bEEf', amount: '1' }, /to: expected an address/],
    [{ token: 'USDC', to: 'vitalik.eth', amount: '1' }, /to: expected an address/],
  ] as const) {
    const refused = await propose(transfer, args)
    assert.match('refused' in refused ? refused.refused : 'proposed', words)
  }
})

test('approve_token approves exactly what was said, of a spender by address or by name', async () => {
  for (const [spender, expected] of [
    [STRANGER, STRANGER],
    ['permit2', '0x000000000022d473030f116ddee9f6b43ac78ba3'],
    ['uniswap-swap-router-02', '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45'],
  ]) {
    const tx = await propose(approveToken, { token: 'USDC', spender, amount: '100' })
    assert.ok('data' in tx)
    const { functionName, args } = decodeFunctionData({ abi: erc20Abi, data: tx.data })
    assert.deepEqual(
      [functionName, args?.map(String).map((s) => s.toLowerCase())],
      ['approve', [expected, '100000000']],
    )
  }
})

test('approve_token revokes with an amount of 0, and refuses the coin, strangers by name and "unlimited"', async () => {
  const revoked = await propose(approveToken, { token: 'USDC', spender: STRANGER, amount: '0' })
  assert.ok('summary' in revoked)
  assert.match(revoked.summary ?? '', /^Revoke/)
  for (const [args, words] of [
    [{ token: 'ETH', spender: STRANGER, amount: '1' }, /needs no approval/],
    [{ token: 'USDC', spender: 'my-friend', amount: '1' }, /neither an address nor the name/],
    [{ token: 'USDC', spender: STRANGER, amount: 'unlimited' }, /no decimal number/],
  ] as const) {
    const refused = await propose(approveToken, args)
    assert.match('refused' in refused ? refused.refused : 'proposed', words)
  }
})

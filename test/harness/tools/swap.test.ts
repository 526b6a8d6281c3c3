import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { decodeAbiParameters, decodeFunctionData, type Hex, parseAbi, parseAbiParameters } from 'viem'
import { swap } from '../../../src/harness/tools/swap.ts'
import { type EvmStep, evmSteps } from '../../support/evm-steps.ts'
import { NOW_SECONDS, QUOTE, STRANGER, standInContext, WALLET, type World } from '../stand-in-reader.ts'

const USDC = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const WETH = '0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2'
const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3'
const ROUTER_20 = '0x66a9893cc07d91d95644aedd05d03f95e1dba8af'
const ROUTER_21 = '0x4c82d1fbfe28c977cbb58d8c7ff8fcf9f70a2cca'
const TO_ROUTER = '0x0000000000000000000000000000000000000002'
const PLENTY = { allowance: 10n ** 30n, permit2: { amount: 10n ** 30n, expiresAt: NOW_SECONDS + 86_400 } }

const ABI = parseAbi([
  'function execute(bytes commands, bytes[] inputs, uint256 deadline) payable',
  'function approve(address spender, uint256 amount)',
  'function approve(address token, address spender, uint160 amount, uint48 expiration)',
])
const V3_20 = parseAbiParameters('address, uint256, uint256, bytes, bool')
const V3_21 = parseAbiParameters('address, uint256, uint256, bytes, bool, uint256[]')
const V2_20 = parseAbiParameters('address, uint256, uint256, address[], bool')
const PAIR = parseAbiParameters('address, uint256')

async function propose(args: object, world: World = PLENTY): Promise<readonly [...EvmStep[], EvmStep]> {
  assert.equal(swap.kind, 'action')
  const proposal = await swap.propose({ sell: 'USDC', buy: 'WETH', amount: '100', ...args }, standInContext(world))
  assert.ok(proposal.ok, proposal.ok ? '' : proposal.reason)
  return evmSteps(proposal.value)
}

async function refusal(args: object, world: World = PLENTY): Promise<string> {
  assert.equal(swap.kind, 'action')
  const proposal = await swap.propose({ sell: 'USDC', buy: 'WETH', amount: '100', ...args }, standInContext(world))
  assert.ok(!proposal.ok)
  return proposal.reason
}

function executeOf(data: Hex) {
  const { args, functionName } = decodeFunctionData({ abi: ABI, data })
  assert.equal(functionName, 'execute')
  const [commands, inputs, deadline] = args as readonly [Hex, readonly Hex[], bigint]
  return { commands, inputs, deadline: Number(deadline) }
}

describe('swap: what it encodes, decoded independently', () => {
  test('a token for a token on the newest router: one v3 command with the minimum and an empty list of hop prices', async () => {
    const steps = await propose({})
    assert.equal(steps.length, 1)
    const [{ tx, summary }] = steps
    assert.deepEqual({ ...tx, data: '' }, { protocol: 'uniswap', chainId: 1, to: ROUTER_21, data: '', value: '0x0' })
    const { commands, inputs, deadline } = executeOf(tx.data)
    assert.equal(commands, '0x00')
    assert.equal(deadline, NOW_SECONDS + 600)
    const [recipient, amountIn, minimum, path, payerIsUser, prices] = decodeAbiParameters(V3_21, inputs[0] ?? '0x')
    assert.equal(recipient.toLowerCase(), WALLET)
    assert.deepEqual([amountIn, minimum, payerIsUser, prices], [100_000_000n, 32_670_000_000_000_000n, true, []])
    assert.equal(path.toLowerCase(), `${USDC}0001f4${WETH.slice(2)}`.toLowerCase())
    assert.equal(summary, 'Swap 100 USDC for at least 0.03267 WETH')
  })

  test('the 2.0 router gets five fields', async () => {
    const [step] = await propose({ via: ROUTER_20 })
    assert.equal(step?.tx.to, ROUTER_20)
    const { inputs } = executeOf(step?.tx.data ?? '0x')
    assert.equal(((inputs[0] ?? '0x').length - 2) / 64, 5 + 1 + 2, 'five words, and a path of 43 bytes')
    assert.equal(decodeAbiParameters(V3_20, inputs[0] ?? '0x')[1], 100_000_000n)
  })

  test('a v2 pool is a v2 command with a path of addresses', async () => {
    const [step] = await propose({ via: ROUTER_20 }, { ...PLENTY, quote: { ...QUOTE, pool: 'v2', fee: 3000 } })
    const { commands, inputs } = executeOf(step?.tx.data ?? '0x')
    assert.equal(commands, '0x08')
    assert.deepEqual(decodeAbiParameters(V2_20, inputs[0] ?? '0x')[3], [USDC, WETH])
  })

  test("the chain's coin is wrapped first and paid by the router; no approval is needed", async () => {
    const quote = { ...QUOTE, amountIn: 2_000_000_000_000_000_000n, amountOut: 6_000_000_000n }
    const steps = await propose({ sell: 'ETH', buy: 'USDC', amount: '2' }, { quote })
    assert.equal(steps.length, 1)
    assert.equal(BigInt(steps[0]?.tx.value ?? 0), quote.amountIn)
    const { commands, inputs } = executeOf(steps[0]?.tx.data ?? '0x')
    assert.equal(commands, '0x0b00')
    assert.deepEqual(decodeAbiParameters(PAIR, inputs[0] ?? '0x'), [TO_ROUTER, quote.amountIn])
    const [recipient, amountIn, minimum, , payerIsUser] = decodeAbiParameters(V3_21, inputs[1] ?? '0x')
    assert.deepEqual(
      [recipient.toLowerCase(), amountIn, minimum, payerIsUser],
      [WALLET, quote.amountIn, 5_940_000_000n, false],
    )
  })

  test("buying the chain's coin swaps to the router and unwraps with the same minimum", async () => {
    const [step] = await propose({ buy: 'ETH', recipient: STRANGER })
    const { commands, inputs } = executeOf(step?.tx.data ?? '0x')
    assert.equal(commands, '0x000c')
    assert.equal(decodeAbiParameters(V3_21, inputs[0] ?? '0x')[0], TO_ROUTER)
    const [recipient, minimum] = decodeAbiParameters(PAIR, inputs[1] ?? '0x')
    assert.deepEqual([recipient.toLowerCase(), minimum], [STRANGER, 32_670_000_000_000_000n])
    assert.equal(step?.tx.value, '0x0')
  })

  test('an exact output bounds the input, writes its path from the end, and gives back what was wrapped too much', async () => {
    const quote = { ...QUOTE, amountIn: 1_000_000_000_000_000_000n, amountOut: 100_000_000n }
    const [step] = await propose({ sell: 'ETH', buy: 'USDC', amount: '100', side: 'exact-out' }, { quote })
    const { commands, inputs } = executeOf(step?.tx.data ?? '0x')
    assert.equal(commands, '0x0b010c')
    const [, amountOut, maximumIn, path] = decodeAbiParameters(V3_21, inputs[1] ?? '0x')
    assert.deepEqual([amountOut, maximumIn], [100_000_000n, 1_010_000_000_000_000_000n])
    assert.equal(path.toLowerCase(), `${USDC}0001f4${WETH.slice(2)}`.toLowerCase())
    assert.equal(BigInt(step?.tx.value ?? 0), 1_010_000_000_000_000_000n)
    const [back] = decodeAbiParameters(PAIR, inputs[2] ?? '0x')
    assert.equal(back.toLowerCase(), WALLET)
  })

  test("a minimum of zero is passed on: refusing it is the policy's part", async () => {
    const [step] = await propose({ minimumOutput: '0' })
    assert.equal(decodeAbiParameters(V3_21, executeOf(step?.tx.data ?? '0x').inputs[0] ?? '0x')[2], 0n)
  })

  test('the minimum never lies more than the allowed slippage below the quote', async () => {
    const [step] = await propose({}, { ...PLENTY, quote: { ...QUOTE, amountOut: 101n }, slippageBps: 50 })
    assert.equal(
      decodeAbiParameters(V3_21, executeOf(step?.tx.data ?? '0x').inputs[0] ?? '0x')[2],
      101n,
      '100.495 rounds up',
    )
  })
})

describe('swap: the approvals that come first', () => {
  const approvals = (steps: readonly EvmStep[]) =>
    steps.slice(0, -1).map(({ tx }) => ({
      to: tx.to.toLowerCase(),
      protocol: tx.protocol,
      ...decodeFunctionData({ abi: ABI, data: tx.data }),
    }))

  test('both are proposed, of exactly the amount, the second until the deadline', async () => {
    const [erc20, permit2, ...none] = approvals(await propose({}, {}))
    assert.deepEqual(none, [])
    assert.equal(erc20?.to, USDC.toLowerCase())
    assert.equal(erc20?.protocol, 'erc20')
    assert.deepEqual(
      erc20?.args.map(String).map((s) => s.toLowerCase()),
      [PERMIT2, '100000000'],
    )
    assert.equal(permit2?.to, PERMIT2)
    assert.equal(permit2?.protocol, 'permit2')
    assert.deepEqual(
      permit2?.args.map(String).map((s) => s.toLowerCase()),
      [USDC.toLowerCase(), ROUTER_21, '100000000', String(NOW_SECONDS + 600)],
    )
  })

  test('an allowance that is short is taken back before it is set anew', async () => {
    const amounts = approvals(await propose({}, { ...PLENTY, allowance: 1n })).map(({ args }) => args[1])
    assert.deepEqual(amounts, [0n, 100_000_000n])
  })

  test("a Permit2 right that ends before the swap's deadline is renewed", async () => {
    const permit2 = { amount: 10n ** 30n, expiresAt: NOW_SECONDS + 599 }
    assert.deepEqual(
      approvals(await propose({}, { ...PLENTY, permit2 })).map(({ to }) => to),
      [PERMIT2],
    )
  })

  test('one through another contract approves that contract, in the open', async () => {
    const steps = await propose({ via: STRANGER }, {})
    assert.equal(String(approvals(steps)[1]?.args[1]).toLowerCase(), STRANGER)
    assert.equal(steps.at(-1)?.tx.to, STRANGER)
  })
})

describe('swap: what it refuses, and the words for it', () => {
  const cases: readonly [string, object, RegExp, World?][] = [
    ['more decimals than the token has', { amount: '0.0000001' }, /more decimals than the 6 of USDC/],
    ['no number', { amount: '1e3' }, /no decimal number/],
    ['a negative amount', { amount: '-1' }, /no decimal number/],
    ['nothing', { amount: '0' }, /more than zero/],
    ['more than any token holds', { amount: '9'.repeat(78) }, /larger than any token/],
    ['an unknown token', { sell: 'NOPE' }, /No token "NOPE"/],
    ['one asset on both sides', { buy: 'USDC' }, /same asset/],
    ['the coin for its wrapped token', { sell: 'ETH', buy: 'WETH' }, /same asset/],
    ['a recipient that is none', { recipient: '0x12' }, /recipient: expected an address/],
    ['an argument that it does not have', { slippage: 1 }, /Unrecognized key/],
    ['a minimum with an exact output', { side: 'exact-out', minimumOutput: '1' }, /minimumOutput/],
    ['a chain without a router', {}, /No Universal Router/, { ...PLENTY, chainId: 999 }],
  ]
  for (const [name, args, words, world] of cases)
    test(name, async () => {
      assert.match(await refusal(args, world), words)
    })
})

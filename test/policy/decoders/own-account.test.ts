import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Address,
  concatHex,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  numberToHex,
  parseAbi,
  size,
} from 'viem'
import { contractOf } from '../../../src/registry/index.ts'
import {
  type Encoded,
  erc20Approve,
  erc20Transfer,
  SENDER,
  srV2In,
  swapRouter02,
  tokens,
  uniswap,
  wethDeposit,
} from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf, refusal, STRANGER, WALLET } from './flows.ts'

const ABI = parseAbi([
  'function execute(bytes32 mode, bytes data)',
  'function execTransaction(address to, uint256 value, bytes data, uint8 operation, uint256 safeTxGas, uint256 baseGas, uint256 gasPrice, address gasToken, address refundReceiver, bytes signatures)',
  'function multiSend(bytes transactions)',
])
const CALLS = [{ type: 'tuple[]', components: [{ type: 'address' }, { type: 'uint256' }, { type: 'bytes' }] }] as const
const NOBODY = '0x0000000000000000000000000000000000000000'

type Inner = Readonly<{ to: Address; value: Hex; data: Hex }>
const approve = erc20Approve({ token: tokens.USDC, spender: uniswap.swapRouter02, amount: 5n })
const swap = swapRouter02(srV2In({ recipient: SENDER, amountIn: 5n, min: 7n, path: [tokens.USDC, tokens.WETH] }))
const transfer = erc20Transfer({ token: tokens.USDC, to: FRIEND, amount: 5n })

const own = (data: Hex): Encoded => ({ to: WALLET, data, value: '0x0', protocol: 'batch', description: 'own account' })
const callsOf = (calls: readonly Inner[]) =>
  encodeAbiParameters(CALLS, [calls.map(({ to, value, data }) => [to, BigInt(value), data] as const)] as never)
const mode = (id: string): Hex => `0x${id.padEnd(64, '0')}`
const ONE = mode('01')
const WITH_DATA = mode('01000000000078210001')
const SEVERAL = mode('01000000000078210002')
const execute = (which: Hex, data: Hex) =>
  own(encodeFunctionData({ abi: ABI, functionName: 'execute', args: [which, data] }))
const batch = (calls: readonly Inner[]) => execute(ONE, callsOf(calls))

type Safe = Partial<
  Readonly<{ to: Address; value: bigint; data: Hex; operation: number; safeTxGas: bigint; gasPrice: bigint }>
>
const safe = ({
  to = tokens.USDC,
  value = 0n,
  data = transfer.data,
  operation = 0,
  safeTxGas = 0n,
  gasPrice = 0n,
}: Safe) =>
  own(
    encodeFunctionData({
      abi: ABI,
      functionName: 'execTransaction',
      args: [to, value, data, operation, safeTxGas, 0n, gasPrice, NOBODY, NOBODY, '0x1234'],
    }),
  )
const packed = (calls: readonly Inner[], operation = '0x00' as Hex) =>
  concatHex(
    calls.map(({ to, value, data }) =>
      concatHex([operation, to, numberToHex(BigInt(value), { size: 32 }), numberToHex(size(data), { size: 32 }), data]),
    ),
  )
const multiSend = (transactions: Hex) =>
  encodeFunctionData({ abi: ABI, functionName: 'multiSend', args: [transactions] })
const MULTI_SEND = contractOf(1, 'safe-multi-send', '1.4.1') as Address

describe('a batch of the wallet’s own account (ERC-7821)', () => {
  test('is all of its calls, each sent by the wallet', () => {
    const all = batch([approve, swap])
    assert.deepEqual(flowsOf(all), {
      spends: ['= 5 USDC of wallet'],
      receives: ['>= 7 WETH to wallet'],
      grants: ['swapRouter02 may spend 5 USDC of wallet until ever'],
    })
    assert.deepEqual(decoded(all).calls, [
      { target: tokens.USDC.toLowerCase(), selector: '0x095ea7b3' },
      { target: uniswap.swapRouter02.toLowerCase(), selector: swap.data.slice(0, 10) },
    ])
    for (const protocol of ['eip7702', 'uniswap', 'erc20']) assert.ok(decoded({ ...all, protocol }))
    assert.match(refusal({ ...all, protocol: 'aave' }), /"protocol" says "aave"/)
  })

  test('pays native coin from the wallet', () => {
    assert.deepEqual(flowsOf(batch([wethDeposit({ amount: 9n }), { to: FRIEND, value: '0x2', data: '0x' }])).spends, [
      '= 9 ETH of wallet',
      '= 2 ETH of wallet',
    ])
    assert.match(refusal({ ...batch([transfer]), value: '0x1' }), /"value" must be 0/)
  })

  test('in its other modes: with data of an authorisation only where that is empty, and batch by batch', () => {
    assert.deepEqual(flowsOf(execute(WITH_DATA, callsOf([transfer]))).receives, ['= 5 USDC to friend'])
    const withData = (data: Hex) =>
      encodeAbiParameters([...CALLS, { type: 'bytes' }], [[[transfer.to, 0n, transfer.data]], data] as never)
    assert.deepEqual(flowsOf(execute(WITH_DATA, withData('0x'))).receives, ['= 5 USDC to friend'])
    assert.match(refusal(execute(WITH_DATA, withData('0x12'))), /authorisation/)
    assert.match(refusal(execute(ONE, withData('0x'))), /canonical/)
    const several = encodeAbiParameters([{ type: 'bytes[]' }], [[callsOf([approve]), callsOf([swap, transfer])]])
    assert.equal(decoded(execute(SEVERAL, several)).legs.length, 3)
    for (const wrong of [mode('00'), mode('0101'), mode('01000000000078210003'), `0x${'01'.padEnd(62, '0')}01` as Hex])
      assert.match(refusal(execute(wrong, callsOf([transfer]))), /none of ERC-7821/)
  })

  test('is refused whole where one call is not understood, lies too deep, or goes nowhere', () => {
    assert.match(refusal(batch([transfer, { to: STRANGER, value: '0x0', data: '0x12345678' }])), /Call 2 of 2/)
    assert.match(refusal(batch([])), /empty/)
    assert.match(refusal(batch([{ to: NOBODY, value: '0x1', data: '0x' }])), /address 0/)
    let deep: Encoded = batch([transfer])
    for (let i = 0; i < 3; i++) deep = batch([deep])
    assert.deepEqual(flowsOf(deep).receives, ['= 5 USDC to friend'])
    assert.match(refusal(batch([deep])), /deep within/)
    assert.match(refusal(batch(Array.from({ length: 65 }, () => transfer))), /more than 64 calls/)
    const { data } = batch([transfer])
    assert.match(refusal(own(`${data}00`)), /followed by 1 bytes/)
  })
})

describe('a Safe as the wallet', () => {
  test('calls as itself', () => {
    assert.deepEqual(flowsOf(safe({})), {
      spends: ['= 5 USDC of wallet'],
      receives: ['= 5 USDC to friend'],
      grants: [],
    })
    assert.deepEqual(decoded(safe({})).calls, [{ target: tokens.USDC.toLowerCase(), selector: '0xa9059cbb' }])
  })

  test('delegates to MultiSend alone, which makes plain calls', () => {
    const sent = safe({ to: MULTI_SEND, operation: 1, data: multiSend(packed([approve, swap])) })
    assert.deepEqual(flowsOf(sent).receives, ['>= 7 WETH to wallet'])
    assert.match(refusal(safe({ to: STRANGER, operation: 1, data: multiSend(packed([swap])) })), /act as the wallet/)
    assert.match(
      refusal(safe({ to: MULTI_SEND, operation: 1, data: multiSend(packed([swap], '0x01')) })),
      /no plain call/,
    )
    assert.match(refusal(safe({ to: MULTI_SEND, operation: 1, data: multiSend(`${packed([swap])}00`) })), /end within/)
    assert.match(
      refusal(safe({ to: MULTI_SEND, operation: 1, data: multiSend(packed([swap]).slice(0, -2) as Hex) })),
      /end within/,
    )
    assert.match(refusal(safe({ to: MULTI_SEND, operation: 1, data: multiSend('0x') })), /empty/)
    assert.match(refusal(safe({ to: MULTI_SEND, operation: 0, data: multiSend(packed([swap])) })), /as itself/)
    assert.match(refusal(safe({ operation: 2 })), /neither a call nor a delegatecall/)
    assert.match(
      refusal(safe({ to: MULTI_SEND, operation: 1, value: 1n, data: multiSend(packed([swap])) })),
      /value must be 0/,
    )
  })

  test('with a gas limit of its own a failure is no revert, so that no minimum counts', () => {
    const guarded = safe({ to: swap.to, data: swap.data })
    assert.deepEqual(flowsOf(guarded).receives, ['>= 7 WETH to wallet'])
    assert.deepEqual(flowsOf(safe({ to: swap.to, data: swap.data, safeTxGas: 1n })).receives, ['>= 0 WETH to wallet'])
    assert.match(refusal(safe({ gasPrice: 1n })), /refunds the gas/)
  })

  test('of somebody else is no contract that is known', () => {
    assert.match(refusal({ ...safe({}), to: STRANGER }), /no contract that countersign knows/)
  })
})

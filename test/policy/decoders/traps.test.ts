// Actions on which a decoder that reads the fields and no more is wrong. What the chain does with them is shown in
// test/differential/traps.test.ts.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeAbiParameters, type Hex, parseAbiParameters, zeroAddress } from 'viem'
import { toAddress } from '../../../src/lib/address.ts'
import {
  type Command,
  erc20Transfer,
  mayFail,
  NATIVE,
  permit2Approve,
  ROUTER,
  SENDER,
  srExactInput,
  srExactInputSingle,
  srMulticall,
  srPull,
  srRefundETH,
  srSweep,
  srUnwrap,
  srV2In,
  swapRouter02,
  tokens,
  uniswap,
  universalRouter,
  urBalanceCheck,
  urCollect,
  urPermit,
  urPortion,
  urSweep,
  urTransfer,
  urUnwrap,
  urV2In,
  urV3In,
  urWrap,
  type Version,
} from '../../support/encode.ts'
import { decoded, FRIEND, flowsOf, refusal, STRANGER, WALLET } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n

for (const version of ['2.0', '2.1'] satisfies Version[])
  describe(`Universal Router ${version}`, () => {
    const name = version === '2.0' ? 'universalRouter20' : 'universalRouter21'
    const plan = (...commands: readonly Command[]) => universalRouter({ version, commands })
    const swap = { version, walletPays: true, recipient: SENDER, amountIn: SOLD, min: ETHER, fees: [500] }
    const toSender = urV3In({ ...swap, tokens: [USDC, WETH] })
    const toRouter = urV3In({ ...swap, tokens: [USDC, WETH], recipient: ROUTER })

    test('what stays in the router is the router’s, whether its word or its address is the recipient', () => {
      const literal = urV3In({ ...swap, tokens: [USDC, WETH], recipient: uniswap[name] })
      for (const stays of [toRouter, literal])
        assert.deepEqual(flowsOf(plan(stays)).receives, [`>= ${ETHER} WETH to ${name}`])
      assert.deepEqual(flowsOf(universalRouter({ version, commands: [toSender], value: 7n })).receives, [
        `>= ${ETHER} WETH to wallet`,
        `= 7 ETH to ${name}`,
      ])
    })

    test('a byte is a command only as it is written: masks of versions differ', () => {
      const others = version === '2.0' ? [0x07] : []
      for (const byte of [...others, 0x40, 0xc0, 0x20, 0x60, 0x0f, 0x11, 0x12, 0x13, 0x14, 0x3f, 0x7f, 0x50, 0x61])
        assert.match(refusal(plan({ ...toSender, byte })), /is not decoded/, byte.toString(16))
    })

    test('the flag of failure makes no guard of a balance check, and takes none from a sweep', () => {
      const check = mayFail(urBalanceCheck({ owner: WALLET, token: WETH, min: 10n * ETHER }))
      assert.deepEqual(flowsOf(plan(toSender, check)).receives, [`>= ${ETHER} WETH to wallet`])
      assert.deepEqual(decoded(plan(toSender, check)).touches, [WALLET, toAddress(WETH)])
      const sweep = mayFail(urSweep({ token: WETH, to: SENDER, min: 2n * ETHER }))
      assert.deepEqual(flowsOf(plan(toRouter, sweep)).receives, [`>= ${2n * ETHER} WETH to wallet`])
    })

    test('a permit counts, whether or not the plan goes on without it', () => {
      const details = { token: USDC, amount: 5n, expiration: 9, nonce: 0 }
      const permit = urPermit({ permit: { details, spender: STRANGER, sigDeadline: 9n }, signature: '0x' })
      for (const command of [permit, mayFail(permit)])
        assert.deepEqual(flowsOf(plan(command, toSender)).grants, ['stranger may spend 5 USDC of wallet until 9'])
    })

    test('a clean word only: no dirty address, bool or offset, nothing behind an input', () => {
      const dirty = ({ byte, input }: Command, at: number, to: string): Command => ({
        byte,
        input: `0x${input.slice(2, at)}${to}${input.slice(at + to.length)}` as Hex,
      })
      assert.match(refusal(plan(dirty(toSender, 2, 'ff'))), /address has bits beyond/)
      assert.match(refusal(plan(dirty(toSender, 2 + 64 * 5 - 1, '2'))), /bool/)
      assert.match(refusal(plan(dirty(toSender, 2 + 64 * 4 - 2, 'e0'))), /offset/)
      for (const more of ['00', '00'.repeat(32)]) {
        const longer = { ...toSender, input: `${toSender.input}${more}` as Hex }
        assert.match(refusal(plan(longer)), new RegExp(`its input is followed by ${more.length / 2} bytes`))
      }
    })

    test('trailing bytes of the call are ignored by the router: 512 are counted, more refused', () => {
      const tx = plan(toSender)
      assert.equal(decoded({ ...tx, data: `${tx.data}${'ab'.repeat(512)}` }).trailingBytes, 512)
      assert.match(refusal({ ...tx, data: `${tx.data}${'ab'.repeat(513)}` }), /followed by 513 bytes/)
    })

    test('the input of the other version is refused', () => {
      const other = version === '2.0' ? '2.1' : '2.0'
      const route = { tokens: [USDC, WETH], fees: [500] }
      assert.match(refusal(plan(urV3In({ ...swap, ...route, version: other }))), /not canonical|followed by/)
      assert.match(refusal(plan(urV2In({ ...swap, path: [USDC, WETH], version: other }))), /not canonical|followed by/)
    })

    test('as many inputs as commands', () => {
      const tx = plan(toSender, toSender)
      const length = tx.data.indexOf(`${'0'.repeat(63)}2`)
      const data = `${tx.data.slice(0, length)}${'0'.repeat(63)}1${tx.data.slice(length + 64)}` as Hex
      assert.match(refusal({ ...tx, data }), /1 commands have 2 inputs/)
    })

    test('a split’s guard is the minimum of its last sweep or unwrap', () => {
      const leg = (amountIn: bigint, fee: number) =>
        urV3In({ ...swap, tokens: [USDC, WETH], fees: [fee], recipient: ROUTER, amountIn, min: 0n })
      const legs = [leg(1_000n, 500), leg(2_000n, 3000)]
      const { spends, receives } = flowsOf(plan(...legs, urUnwrap({ to: SENDER, min: 9n })))
      assert.deepEqual([spends, receives], [['<= 3000 USDC of wallet'], ['>= 9 ETH to wallet']])
      assert.deepEqual(flowsOf(plan(...legs, urUnwrap({ to: SENDER, min: 0n }))).receives, ['>= 0 ETH to wallet'])
    })

    test('a fee is somebody’s receipt; the rest is what remains for sure', () => {
      const fee = urPortion({ token: WETH, to: FRIEND, bips: 25n })
      const { receives } = flowsOf(plan(toRouter, fee, urSweep({ token: WETH, to: SENDER, min: 5n })))
      assert.deepEqual(receives, [
        `>= ${(ETHER * 25n) / 10_000n} WETH to friend`,
        `>= ${(ETHER * 9_975n) / 10_000n} WETH to wallet`,
      ])
      const flat = urTransfer({ token: WETH, to: FRIEND, amount: 7n })
      assert.deepEqual(flowsOf(plan(toRouter, flat, urSweep({ token: WETH, to: SENDER, min: 5n }))).receives, [
        '= 7 WETH to friend',
        `>= ${ETHER - 7n} WETH to wallet`,
      ])
      assert.match(
        refusal(plan(toRouter, urPortion({ token: WETH, to: FRIEND, bips: 10_001n }))),
        /more than the whole/,
      )
    })

    test('what the plan does not bring is not spent: others’ leftovers are no part of it', () => {
      assert.match(refusal(plan(urTransfer({ token: WETH, to: FRIEND, amount: 5n }))), /does not bring/)
      assert.match(refusal(plan(urWrap({ to: ROUTER, amount: 5n }))), /does not bring/)
      assert.match(refusal(plan(urV3In({ ...swap, tokens: [USDC, WETH], walletPays: false }))), /does not bring/)
      assert.deepEqual(flowsOf(plan(urSweep({ token: WETH, to: FRIEND, min: 0n }))).receives, ['>= 0 WETH to friend'])
      assert.match(refusal(plan(urSweep({ token: NATIVE, to: SENDER, min: 0n }))), /moves nothing/)
    })

    test('others’ tokens cannot be taken by a batch', () => {
      const collect = urCollect({ token: USDC, to: FRIEND, amount: 5n })
      assert.deepEqual(flowsOf(plan(collect)).receives, ['= 5 USDC to friend'])
      const transfers = [{ from: STRANGER, to: FRIEND, amount: 5n, token: USDC }]
      const parameters = parseAbiParameters([
        'T[] t',
        'struct T { address from; address to; uint160 amount; address token; }',
      ])
      const batch = { byte: 0x0d, input: encodeAbiParameters(parameters, [transfers]) }
      assert.match(refusal(plan(batch)), /tokens of somebody else/)
    })
  })

describe('SwapRouter02', () => {
  const single = { tokenIn: USDC, tokenOut: WETH, fee: 500, limit: 0n, amountIn: SOLD, min: ETHER }
  const to = (recipient: typeof ROUTER) => srExactInputSingle({ ...single, recipient })
  const batch = (value: bigint, ...calls: readonly Hex[]) => swapRouter02(srMulticall({ calls }), value)

  test('recipient 0 burns, 1 is the sender, 2 the router', () => {
    const receiver = (recipient: typeof ROUTER) => flowsOf(swapRouter02(to(recipient))).receives
    assert.deepEqual(receiver(zeroAddress), [`>= ${ETHER} WETH to ${zeroAddress}`])
    assert.deepEqual(receiver(SENDER), [`>= ${ETHER} WETH to wallet`])
    assert.deepEqual(receiver(ROUTER), [`>= ${ETHER} WETH to swapRouter02`])
  })

  test('an amount of 0 is all that the router holds, and the plan must have brought it', () => {
    const all = srExactInputSingle({ ...single, amountIn: 0n, recipient: SENDER })
    assert.match(refusal(swapRouter02(all)), /does not bring/)
    assert.deepEqual(flowsOf(batch(0n, srPull({ token: USDC, amount: 5n }), all)).spends, ['= 5 USDC of wallet'])
  })

  test('native value that nobody asks back stays in the router', () => {
    const sold = srExactInputSingle({ ...single, tokenIn: WETH, tokenOut: USDC, amountIn: ETHER, recipient: SENDER })
    assert.deepEqual(flowsOf(batch(3n * ETHER, sold)).receives, [
      `>= ${ETHER} USDC to wallet`,
      `= ${2n * ETHER} ETH to swapRouter02`,
    ])
    const { spends, receives } = flowsOf(batch(3n * ETHER, sold, srRefundETH()))
    assert.deepEqual([spends, receives], [[`<= ${ETHER} ETH of wallet`], [`>= ${ETHER} USDC to wallet`]])
    assert.match(refusal(batch(ETHER - 1n, sold)), /does not cover what is sold/)
    const through = { tokens: [DAI, WETH, USDC], fees: [3000, 500], recipient: SENDER, amountIn: 5n, min: 1n }
    assert.match(refusal(batch(5n, srExactInput(through), srRefundETH())), /instead of the wrapped coin/)
    assert.equal(decoded(batch(5n, srV2In({ ...through, path: through.tokens }), srRefundETH())).legs.length, 1)
    // With native value at hand it would not pay with the wrapped coin that it holds.
    assert.match(
      refusal(
        batch(
          5n,
          srPull({ token: WETH, amount: 9n }),
          srExactInputSingle({ ...single, tokenIn: WETH, tokenOut: DAI, amountIn: 0n, recipient: SENDER }),
        ),
      ),
      /instead of the wrapped coin/,
    )
  })

  test('batches in batches are read as one plan, four deep', () => {
    const nest = (data: Hex, depth: number): Hex =>
      depth === 0 ? data : nest(srMulticall({ calls: [data] }), depth - 1)
    const nested = (depth: number) => batch(0n, nest(to(ROUTER), depth), srUnwrap({ min: 5n }))
    for (const depth of [0, 1, 2, 3]) assert.deepEqual(flowsOf(nested(depth)).receives, [`>= ${ETHER} ETH to wallet`])
    assert.match(refusal(nested(4)), /batches within batches/)
  })

  test('trailing bytes of the call are counted, of a call in a batch refused', () => {
    const tx = swapRouter02(to(SENDER))
    assert.equal(decoded({ ...tx, data: `${tx.data}abcd` }).trailingBytes, 2)
    assert.match(refusal(batch(0n, `${to(SENDER)}ab`)), /followed by 1 bytes/)
  })

  test('a function in a batch that is not decoded refuses the batch', () => {
    assert.match(
      refusal(batch(0n, to(SENDER), '0xdee00f35')),
      /call 1: getApprovalType: an approval by the router itself.* is not decoded/,
    )
    assert.match(refusal(batch(0n, srSweep({ token: WETH, min: 0n }))), /moves nothing/)
  })
})

describe('dirty and trailing bytes where the target may read them', () => {
  test('are refused', () => {
    const dirty = (data: Hex) => `${data.slice(0, 10)}ff${data.slice(12)}` as Hex
    for (const tx of [
      erc20Transfer({ token: USDC, to: FRIEND, amount: 5n }),
      permit2Approve({ token: USDC, spender: FRIEND, amount: 5n, expiration: 9 }),
    ]) {
      assert.match(refusal({ ...tx, data: dirty(tx.data) }), /address has bits beyond/)
      assert.match(refusal({ ...tx, data: `${tx.data}ab` }), /followed by 1 bytes/)
    }
  })
})

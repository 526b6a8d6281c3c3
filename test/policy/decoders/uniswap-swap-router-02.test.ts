import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { toAddress } from '../../../src/lib/address.ts'
import { SENDER, srV2Out, swapRouter02, tokens } from '../../support/encode.ts'
import { flowsOf } from './flows.ts'

const { USDC, WETH } = tokens
const ETHER = 10n ** 18n
const UNLISTED = toAddress('0xE000000000000000000000000000000000000e11')

describe('SwapRouter02: what it moves', () => {
  test('an exact output of v2 may be rounded up, and is certain with listed tokens on the way', () => {
    const bought = (path: readonly (typeof WETH | typeof USDC | typeof UNLISTED)[]) =>
      swapRouter02(srV2Out({ amountOut: ETHER, max: 4_000_000_000n, path, recipient: SENDER }))
    assert.deepEqual(flowsOf(bought([USDC, WETH])).receives, [`>= ${ETHER} WETH to wallet`])
    assert.deepEqual(flowsOf(bought([USDC, UNLISTED, WETH])).receives, ['>= 0 WETH to wallet'])
  })
})

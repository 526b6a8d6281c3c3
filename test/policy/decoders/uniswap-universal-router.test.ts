import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { encodeAbiParameters, parseAbiParameters } from 'viem'
import { decode } from '../../../src/policy/decode.ts'
import { ROUTER, SENDER, tokens, universalRouter, urSweep, urV3In, type Version } from '../../support/encode.ts'
import { flowsOf, WALLET } from './flows.ts'

const { USDC, WETH } = tokens
const ETHER = 10n ** 18n

for (const version of ['2.0', '2.1'] satisfies Version[])
  describe(`Universal Router ${version}`, () => {
    const swap = urV3In({
      version,
      walletPays: true,
      recipient: ROUTER,
      amountIn: 3_000_000_000n,
      min: 0n,
      tokens: [USDC, WETH],
      fees: [500],
    })
    const sweep = (min: bigint) => urSweep({ token: WETH, to: SENDER, min })

    test('a sweep is a guard as far as the router reads it: 160 bits', () => {
      const most = (1n << 160n) - 1n
      assert.deepEqual(flowsOf(universalRouter({ version, commands: [swap, sweep(most)] })).receives, [
        `>= ${most} WETH to wallet`,
      ])
      for (const min of [1n << 160n, (1n << 160n) + ETHER, 1n << 255n]) {
        const decoded = decode({ ...universalRouter({ version, commands: [swap, sweep(min)] }), chainId: 1 }, WALLET)
        assert.match(JSON.stringify(decoded), /bits beyond its width/, String(min))
      }
    })
  })

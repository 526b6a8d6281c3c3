// Plans within plans of the Universal Router: one that must succeed is part of the plan; of one that may fail nothing is
// certain, neither that it happens nor that it does not.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import {
  type Command,
  mayFail,
  NATIVE,
  ROUTER,
  SENDER,
  tokens,
  universalRouter,
  urCollect,
  urPermit,
  urSweep,
  urTransfer,
  urUnwrap,
  urV3In,
  type Version,
} from '../../support/encode.ts'
import { urSubPlan } from '../../support/encode-v4.ts'
import { FRIEND, flowsOf, refusal, STRANGER } from './flows.ts'

const { USDC, WETH } = tokens
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n

for (const version of ['2.0', '2.1'] satisfies Version[])
  describe(`Universal Router ${version}: plans within plans`, () => {
    const router = version === '2.0' ? 'universalRouter20' : 'universalRouter21'
    const plan = (...commands: readonly Command[]) => universalRouter({ version, commands })
    const swap = (recipient: typeof ROUTER, walletPays = true) =>
      urV3In({ version, walletPays, recipient, amountIn: SOLD, min: ETHER, tokens: [USDC, WETH], fees: [500] })
    const sweep = urSweep({ token: WETH, to: SENDER, min: 2n * ETHER })

    test('one that must succeed is part of the plan', () => {
      assert.deepEqual(flowsOf(plan(urSubPlan(swap(ROUTER)), sweep)), flowsOf(plan(swap(ROUTER), sweep)))
      assert.deepEqual(flowsOf(plan(swap(ROUTER), urSubPlan(urSubPlan(sweep)))), flowsOf(plan(swap(ROUTER), sweep)))
    })

    test('one that may fail spends at most, and brings nothing for sure', () => {
      const { spends, receives } = flowsOf(plan(mayFail(urSubPlan(swap(ROUTER), sweep))))
      assert.deepEqual([spends, receives], [['<= 3000000000 USDC of wallet'], ['>= 0 WETH to wallet']])
      const paid = flowsOf(plan(mayFail(urSubPlan(urCollect({ token: USDC, to: FRIEND, amount: 5n })))))
      assert.deepEqual([paid.spends, paid.receives], [['<= 5 USDC of wallet'], ['>= 0 USDC to friend']])
    })

    test('what was brought before stays in the router where it fails', () => {
      const collect = urCollect({ token: USDC, to: ROUTER, amount: SOLD })
      const stranded = plan(collect, mayFail(urSubPlan(swap(ROUTER, false), sweep)))
      assert.deepEqual(flowsOf(stranded), {
        spends: ['= 3000000000 USDC of wallet'],
        receives: ['>= 0 WETH to wallet', `>= 0 USDC to ${router}`],
        grants: [],
      })
      const back = urSweep({ token: USDC, to: SENDER, min: 0n })
      assert.deepEqual(flowsOf(plan(collect, mayFail(urSubPlan(swap(ROUTER, false), sweep)), back)).spends, [
        '<= 3000000000 USDC of wallet',
      ])
    })

    test('a guard after it counts for what it brings', () => {
      const commands = [mayFail(urSubPlan(swap(ROUTER))), urUnwrap({ to: SENDER, min: 7n })]
      assert.deepEqual(flowsOf(plan(...commands)).receives, ['>= 7 ETH to wallet'])
    })

    test('what is certain beside it stays certain', () => {
      const twice = plan(swap(SENDER), mayFail(urSubPlan(swap(SENDER))))
      assert.deepEqual(flowsOf(twice), {
        spends: ['<= 6000000000 USDC of wallet'],
        receives: [`>= ${ETHER} WETH to wallet`],
        grants: [],
      })
      const value = universalRouter({
        version,
        value: 10n,
        commands: [mayFail(urSubPlan(urTransfer({ token: NATIVE, to: FRIEND, amount: 4n })))],
      })
      assert.deepEqual(flowsOf(value).receives, ['>= 0 ETH to friend', `>= 6 ETH to ${router}`])
    })

    test('a right given in one that may fail is given', () => {
      const details = { token: USDC, amount: 5n, expiration: 9, nonce: 0 }
      const permit = urPermit({ permit: { details, spender: STRANGER, sigDeadline: 9n }, signature: '0x' })
      assert.deepEqual(flowsOf(plan(mayFail(urSubPlan(permit)), swap(SENDER))).grants, [
        'stranger may spend 5 USDC of wallet until 9',
      ])
    })

    test('what is refused outside is refused inside, and so are plans too deep or too long', () => {
      const bridge = { byte: 0x14, input: '0x' } as const
      for (const within of [urSubPlan(bridge), mayFail(urSubPlan(bridge))])
        assert.match(refusal(plan(swap(SENDER), within)), /command 1 \(0x.1\): command 0 \(0x14\).*is not decoded/)
      const nested = (depth: number): Command => (depth === 0 ? swap(SENDER) : urSubPlan(nested(depth - 1)))
      assert.deepEqual(flowsOf(plan(nested(4))).receives, [`>= ${ETHER} WETH to wallet`])
      assert.match(refusal(plan(nested(5))), /plans within plans are decoded 4 deep/)
      const many = Array.from({ length: 65 }, () => urCollect({ token: USDC, to: FRIEND, amount: 5n }))
      assert.match(refusal(plan(mayFail(urSubPlan(...many)), mayFail(urSubPlan(...many)))), /more than 128 steps/)
    })
  })

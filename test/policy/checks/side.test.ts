import { describe } from 'node:test'
import { side } from '../../../src/policy/checks/side.ts'
import {
  addressOf,
  DAI,
  FRIEND,
  permitAndSwap,
  swap,
  transfer,
  UNIVERSAL_ROUTER,
  USDC,
  WETH,
} from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const field = 'sides.allow'
const code = 'side_not_allowed'
const allow = (...sides: string[]) => ({ sides: { allow: sides } })
const buy = swap()
const sell = swap({ sell: WETH, buy: USDC, amountIn: 10n ** 16n, minOut: 29_000_000n })
/** Listed, and no coin of a dollar. */
const LINK = addressOf('0x514910771af9ca656af840dff83e8264ecf986ca')

describe('side', () => {
  eachCase(side, [
    {
      name: 'no trade',
      tx: transfer(USDC, FRIEND, 1n),
      policy: allow(),
      expected: { status: 'not_checked', says: 'no trade' },
    },
    { name: 'without a list', tx: buy, expected: { status: 'not_checked', says: 'limits no side' } },
    { name: 'paying dollars buys', tx: buy, policy: allow('buy'), expected: { status: 'passed', says: 'allowed' } },
    {
      name: 'receiving dollars sells',
      tx: sell,
      policy: allow('sell'),
      expected: { status: 'passed', says: 'allowed' },
    },
    {
      name: 'a buy where only selling is allowed',
      tx: buy,
      policy: allow('sell'),
      expected: { status: 'failed', code, field, says: 'This trade is a buy; the policy allows sell.' },
    },
    {
      name: 'a sell where only buying is allowed',
      tx: sell,
      policy: allow('buy'),
      expected: { status: 'failed', code, field, says: 'This trade is a sell; the policy allows buy.' },
    },
    {
      name: 'neither side',
      tx: buy,
      policy: allow(),
      expected: { status: 'failed', code, field, says: 'allows neither side' },
    },
    {
      name: 'one token for another is both',
      tx: swap({ sell: WETH, buy: LINK }),
      policy: allow('buy'),
      expected: { status: 'failed', code, field, says: 'is a sell' },
    },
    {
      name: 'dollars for dollars is both',
      tx: swap({ buy: DAI }),
      policy: allow('sell'),
      expected: { status: 'failed', code, field, says: 'is a buy' },
    },
    {
      name: 'both, where both are allowed',
      tx: swap({ buy: DAI }),
      policy: allow('sell', 'buy'),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'each leg by itself',
      tx: permitAndSwap(UNIVERSAL_ROUTER),
      policy: allow('sell'),
      expected: [
        { status: 'not_checked', says: 'no trade' },
        { status: 'failed', code, field, says: 'is a buy' },
      ],
    },
  ])
})

import { describe } from 'node:test'
import { venue } from '../../../src/policy/checks/venue.ts'
import {
  approveToken,
  FRIEND,
  PERMIT2,
  permitAndSwap,
  SWAP_ROUTER_02,
  swap,
  transfer,
  USDC,
} from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const allow = (...ids: string[]) => ({ venues: { allow: ids } })
const field = 'venues.allow'

describe('venue', () => {
  eachCase(venue, [
    { name: 'without a list', tx: swap(), expected: { status: 'not_checked', says: 'lists no venues' } },
    {
      name: 'on the list',
      tx: swap(),
      policy: allow('uniswap'),
      expected: { status: 'passed', says: 'Venue uniswap' },
    },
    {
      name: 'not on the list: names it and what is allowed',
      tx: swap(),
      policy: allow('erc20', 'weth'),
      expected: {
        status: 'failed',
        code: 'venue_not_allowed',
        field,
        says: 'Venue uniswap is not allowed; the policy allows erc20, weth.',
      },
    },
    {
      name: 'an empty list allows none',
      tx: swap(),
      policy: allow(),
      expected: { status: 'failed', code: 'venue_not_allowed', field, says: 'allows none' },
    },
    {
      name: 'names are compared as they are',
      tx: swap(),
      policy: allow('Uniswap'),
      expected: { status: 'failed', code: 'venue_not_allowed', field, says: 'the policy allows Uniswap.' },
    },
    {
      name: 'an approval belongs to the venue whose contract may spend',
      tx: approveToken(USDC, SWAP_ROUTER_02, 1n),
      policy: allow('uniswap'),
      expected: { status: 'passed', says: 'allowed' },
    },
    {
      name: 'Permit2 spends for nobody by itself',
      tx: approveToken(USDC, PERMIT2, 1n),
      policy: allow('uniswap'),
      expected: { status: 'passed', says: 'allowed' },
    },
    {
      name: 'an approval of anybody else is the token’s own venue',
      tx: approveToken(USDC, FRIEND, 1n),
      policy: allow('uniswap'),
      expected: { status: 'failed', code: 'venue_not_allowed', field, says: 'Venue erc20' },
    },
    {
      name: 'a transfer is no approval',
      tx: transfer(USDC, SWAP_ROUTER_02, 1n),
      policy: allow('uniswap'),
      expected: { status: 'failed', code: 'venue_not_allowed', field, says: 'Venue erc20' },
    },
    {
      name: 'each leg by itself',
      tx: permitAndSwap(FRIEND),
      policy: allow('uniswap'),
      expected: [
        { status: 'failed', code: 'venue_not_allowed', field, says: 'Venue permit2' },
        { status: 'passed', says: 'Venue uniswap' },
      ],
    },
  ])
})

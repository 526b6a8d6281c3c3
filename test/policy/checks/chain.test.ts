import { describe } from 'node:test'
import { chain } from '../../../src/policy/checks/chain.ts'
import { decoded, permitAndSwap, swap, UNIVERSAL_ROUTER } from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const field = 'chains.allow'

describe('chain', () => {
  eachCase(chain, [
    { name: 'without a list', tx: swap(), expected: { status: 'not_checked', says: 'lists no chains' } },
    {
      name: 'on the list',
      tx: swap(),
      policy: { chains: { allow: [8453, 1] } },
      expected: { status: 'passed', says: 'Ethereum (1) is allowed.' },
    },
    {
      name: 'not on the list: names it and what is allowed',
      tx: swap(),
      policy: { chains: { allow: [8453, 999] } },
      expected: {
        status: 'failed',
        code: 'chain_not_allowed',
        field,
        says: 'Ethereum (1) is not allowed; the policy allows 8453, 999.',
      },
    },
    {
      name: 'an empty list allows none',
      tx: swap(),
      policy: { chains: { allow: [] } },
      expected: { status: 'failed', code: 'chain_not_allowed', field, says: 'allows none' },
    },
    {
      name: 'a chain without a name',
      action: { ...decoded(swap()), chainId: 424242 },
      policy: { chains: { allow: [1] } },
      expected: { status: 'failed', code: 'chain_not_allowed', field, says: 'chain (424242) is not allowed' },
    },
    {
      name: 'once for an action of several legs',
      tx: permitAndSwap(UNIVERSAL_ROUTER),
      policy: { chains: { allow: [1] } },
      expected: { status: 'passed', says: 'Ethereum' },
    },
  ])
})

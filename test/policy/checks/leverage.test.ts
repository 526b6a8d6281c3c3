import { describe } from 'node:test'
import { leverage } from '../../../src/policy/checks/leverage.ts'
import { permitAndSwap, swap, UNIVERSAL_ROUTER } from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const policy = { leverage: { max: 1 } }

describe('leverage', () => {
  eachCase(leverage, [
    {
      name: 'a swap changes none',
      tx: swap(),
      policy,
      expected: { status: 'not_checked', says: 'changes no leverage' },
    },
    {
      name: 'nor does any leg of one',
      tx: permitAndSwap(UNIVERSAL_ROUTER),
      policy,
      expected: [
        { status: 'not_checked', says: 'changes no leverage' },
        { status: 'not_checked', says: 'changes no leverage' },
      ],
    },
  ])
})

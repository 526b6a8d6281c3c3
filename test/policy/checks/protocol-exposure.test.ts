import { describe } from 'node:test'
import { protocolExposure } from '../../../src/policy/checks/protocol-exposure.ts'
import { swap } from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const policy = { exposure: { perProtocolUsd: { uniswap: 0, '*': 0 } } }

describe('protocol_exposure', () => {
  eachCase(protocolExposure, [
    {
      name: 'a swap leaves nothing',
      tx: swap(),
      policy,
      expected: { status: 'not_checked', says: 'leaves no position' },
    },
  ])
})

import { describe } from 'node:test'
import { contractSelector } from '../../../src/policy/checks/contract-selector.ts'
import { FRIEND, SWAP_ROUTER_02, sendNative, swap, UNIVERSAL_ROUTER } from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const field = 'contracts.allow'
const code = 'contract_or_selector_not_allowed'
const EXACT_INPUT_SINGLE = '0x04e45aaf'
const entry = (address: string, selectors?: string[], chainId = 1) => ({
  contracts: { allow: [{ chainId, address, ...(selectors && { selectors }) }] },
})

describe('contract_selector', () => {
  eachCase(contractSelector, [
    { name: 'without a list', tx: swap(), expected: { status: 'not_checked', says: 'lists no contracts' } },
    {
      name: 'every function of a contract',
      tx: swap(),
      policy: entry(SWAP_ROUTER_02),
      expected: { status: 'passed', says: 'The contract and its function are allowed.' },
    },
    {
      name: 'a function of a contract',
      tx: swap(),
      policy: entry(SWAP_ROUTER_02, ['0x12345678', EXACT_INPUT_SINGLE]),
      expected: { status: 'passed', says: 'its function' },
    },
    {
      name: 'the same function in capitals',
      tx: { ...swap(), data: `0x${swap().data.slice(2).toUpperCase()}` },
      policy: entry(SWAP_ROUTER_02, [EXACT_INPUT_SINGLE]),
      expected: { status: 'passed', says: 'its function' },
    },
    {
      name: 'another contract: names it',
      tx: swap(),
      policy: entry(UNIVERSAL_ROUTER),
      expected: {
        status: 'failed',
        code,
        field,
        says: /^Contract 0x68b3\w+ on chain 1 is not on the policy's list\.$/,
      },
    },
    {
      name: 'the same contract on another chain',
      tx: swap(),
      policy: entry(SWAP_ROUTER_02, undefined, 8453),
      expected: { status: 'failed', code, field, says: 'on chain 1' },
    },
    {
      name: 'another function: names it',
      tx: swap(),
      policy: entry(SWAP_ROUTER_02, ['0x12345678']),
      expected: { status: 'failed', code, field, says: `Function ${EXACT_INPUT_SINGLE} of contract 0x68b3` },
    },
    {
      name: 'no function at all',
      tx: swap(),
      policy: entry(SWAP_ROUTER_02, []),
      expected: { status: 'failed', code, field, says: EXACT_INPUT_SINGLE },
    },
    {
      name: 'a plain transfer is no function',
      tx: sendNative(FRIEND, 1n),
      policy: entry(FRIEND, ['0x12345678']),
      expected: { status: 'failed', code, field, says: 'Function (plain transfer)' },
    },
    {
      name: 'a plain transfer to an account with every function',
      tx: sendNative(FRIEND, 1n),
      policy: entry(FRIEND),
      expected: { status: 'passed', says: 'allowed' },
    },
  ])
})

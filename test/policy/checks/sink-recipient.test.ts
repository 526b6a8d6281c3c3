import { describe } from 'node:test'
import { sinkRecipient } from '../../../src/policy/checks/sink-recipient.ts'
import {
  addressOf,
  approveToken,
  FRIEND,
  PERMIT2,
  permitAndSwap,
  SWAP_ROUTER_02,
  sendNative,
  swap,
  transfer,
  UNIVERSAL_ROUTER,
  USDC,
  WETH,
} from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const code = 'sink_recipient'
const ZERO = addressOf(`0x${'0'.repeat(40)}`)
const DEAD = addressOf('0x000000000000000000000000000000000000dEaD')

describe('sink_recipient', () => {
  eachCase(sinkRecipient, [
    {
      name: 'an approval sends nothing',
      tx: approveToken(USDC, PERMIT2, 1n),
      expected: { status: 'not_checked', says: 'sends nothing' },
    },
    { name: 'the wallet itself', tx: swap(), expected: { status: 'passed', says: 'No value' } },
    { name: 'another account', tx: transfer(USDC, FRIEND, 1n), expected: { status: 'passed', says: 'No value' } },
    {
      name: 'the zero address: names it',
      tx: transfer(USDC, ZERO, 1n),
      expected: {
        status: 'failed',
        code,
        says: 'Value sent to 0x0000000000000000000000000000000000000000 could not be recovered.',
      },
    },
    { name: 'the burn address', tx: sendNative(DEAD, 1n), expected: { status: 'failed', code, says: 'dEaD' } },
    {
      name: 'a precompiled contract',
      tx: sendNative(addressOf(`0x${'1'.padStart(40, '0')}`), 1n),
      expected: { status: 'failed', code, says: 'recovered' },
    },
    {
      name: 'the last reserved address',
      tx: sendNative(addressOf(`0x${'ffff'.padStart(40, '0')}`), 1n),
      expected: { status: 'failed', code, says: 'recovered' },
    },
    {
      name: 'the first one that is not',
      tx: sendNative(addressOf(`0x${'10000'.padStart(40, '0')}`), 1n),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'the token’s own contract',
      tx: transfer(USDC, USDC, 1n),
      expected: { status: 'failed', code, says: '0xA0b8' },
    },
    {
      name: 'a router',
      tx: transfer(USDC, SWAP_ROUTER_02, 1n),
      expected: { status: 'failed', code, says: 'Uniswap Swap Router 02 (0x68b3' },
    },
    {
      name: 'a swap’s output to the router',
      tx: swap({ to: UNIVERSAL_ROUTER }),
      expected: { status: 'failed', code, says: 'Universal Router 2.0' },
    },
    {
      name: 'wrapped coin of another token',
      tx: transfer(USDC, WETH, 1n),
      expected: { status: 'failed', code, says: 'Wrapped Coin' },
    },
    {
      name: 'whom the policy denies: names the field',
      tx: transfer(USDC, FRIEND, 1n),
      policy: { sinks: { deny: [FRIEND] } },
      expected: {
        status: 'failed',
        code,
        field: 'sinks.deny',
        says: 'The policy denies sending to 0x0000000000000000000000000000000000F41e4D.',
      },
    },
    {
      name: 'each leg by itself',
      tx: permitAndSwap(UNIVERSAL_ROUTER, { to: DEAD }),
      expected: [
        { status: 'not_checked', says: 'sends nothing' },
        { status: 'failed', code, says: 'dEaD' },
      ],
    },
  ])
})

import { describe } from 'node:test'
import { recipient } from '../../../src/policy/checks/recipient.ts'
import {
  approveToken,
  FRIEND,
  PERMIT2,
  permitAndSwap,
  STRANGER,
  sendNative,
  swap,
  transfer,
  transferFrom,
  UNIVERSAL_ROUTER,
  USDC,
  WALLET,
} from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const field = 'recipients.allow'
const code = 'recipient_not_allowed'
const friends = { recipients: { allow: [FRIEND] } }
const unlimited = (1n << 256n) - 1n

describe('recipient', () => {
  eachCase(recipient, [
    { name: 'the wallet itself, without any list', tx: swap(), expected: { status: 'passed', says: 'allowed' } },
    {
      name: 'a stranger, without any list: names who',
      tx: swap({ to: STRANGER }),
      expected: {
        status: 'failed',
        code,
        field,
        says: '0x00000000000000000000000000000000DeaDBeef would receive value and is neither the wallet nor on the recipient list.',
      },
    },
    {
      name: 'somebody on the list',
      tx: transfer(USDC, FRIEND, 1n),
      policy: friends,
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'somebody beside the list',
      tx: transfer(USDC, STRANGER, 1n),
      policy: friends,
      expected: { status: 'failed', code, field, says: 'DeaDBeef' },
    },
    {
      name: 'native coin',
      tx: sendNative(STRANGER, 1n),
      expected: { status: 'failed', code, field, says: 'DeaDBeef' },
    },
    {
      name: 'nothing of it',
      tx: sendNative(STRANGER, 0n),
      expected: { status: 'failed', code, field, says: 'DeaDBeef' },
    },
    {
      name: 'a known contract that would keep it is named by what it is',
      tx: transfer(USDC, UNIVERSAL_ROUTER, 1n),
      expected: {
        status: 'failed',
        code,
        field,
        says: 'Uniswap Universal Router 2.0 (0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af)',
      },
    },
    {
      name: 'a known contract may spend',
      tx: approveToken(USDC, PERMIT2, unlimited),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'a friend may spend',
      tx: approveToken(USDC, FRIEND, 1n),
      policy: friends,
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'a stranger may not spend',
      tx: approveToken(USDC, STRANGER, 1n),
      policy: friends,
      expected: {
        status: 'failed',
        code,
        field,
        says: 'would be allowed to spend and is neither a known venue contract nor on the recipient list',
      },
    },
    {
      name: 'a right that is taken away goes to nobody',
      tx: approveToken(USDC, STRANGER, 0n),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'tokens of somebody else for the wallet',
      tx: transferFrom(USDC, FRIEND, WALLET, 1n),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'each leg by itself',
      tx: permitAndSwap(STRANGER, { to: STRANGER }),
      expected: [
        { status: 'failed', code, field, says: 'would be allowed to spend' },
        { status: 'failed', code, field, says: 'would receive value' },
      ],
    },
  ])
})

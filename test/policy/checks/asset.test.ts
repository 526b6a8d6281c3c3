import { describe } from 'node:test'
import { asset } from '../../../src/policy/checks/asset.ts'
import {
  approveToken,
  DAI,
  FRIEND,
  permitAndSwap,
  sendNative,
  swap,
  UNIVERSAL_ROUTER,
  USDC,
  WETH,
} from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const field = 'assets.allow'
const code = 'asset_not_in_universe'
const allow = (...addresses: string[]) => ({
  assets: { allow: addresses.map((address) => ({ chainId: 1, address })) },
})

describe('asset', () => {
  eachCase(asset, [
    { name: 'without a list', tx: swap(), expected: { status: 'not_checked', says: 'lists no assets' } },
    {
      name: 'all on the list',
      tx: swap(),
      policy: allow(USDC, WETH),
      expected: { status: 'passed', says: 'universe' },
    },
    {
      name: 'what is bought is not: names it',
      tx: swap(),
      policy: allow(USDC, DAI),
      expected: {
        status: 'failed',
        code,
        field,
        says: 'Token 0xC02aaA39b223FE8D0A0e5C4F27eAD9083C756Cc2 on chain 1 is not among the allowed assets.',
      },
    },
    {
      name: 'what is sold is not',
      tx: swap(),
      policy: allow(WETH),
      expected: { status: 'failed', code, field, says: '0xA0b8' },
    },
    {
      name: 'the same address on another chain is another asset',
      tx: swap(),
      policy: { assets: { allow: [USDC, WETH].map((address) => ({ chainId: 8453, address })) } },
      expected: { status: 'failed', code, field, says: 'on chain 1' },
    },
    {
      name: 'a market of a venue is no token',
      tx: swap(),
      policy: { assets: { allow: [{ venue: 'uniswap', symbol: 'USDC' }] } },
      expected: { status: 'failed', code, field, says: '0xA0b8' },
    },
    {
      name: 'a right to spend counts',
      tx: approveToken(DAI, UNIVERSAL_ROUTER, 1n),
      policy: allow(USDC),
      expected: { status: 'failed', code, field, says: '0x6B17' },
    },
    {
      name: 'the native coin',
      tx: sendNative(FRIEND, 1n),
      policy: allow('native'),
      expected: { status: 'passed', says: '' },
    },
    {
      name: 'the native coin is not its wrapped form',
      tx: sendNative(FRIEND, 1n),
      policy: allow(WETH),
      expected: { status: 'failed', code, field, says: 'The native coin on chain 1' },
    },
    {
      name: 'each leg by itself',
      tx: permitAndSwap(UNIVERSAL_ROUTER),
      policy: allow(USDC),
      expected: [
        { status: 'passed', says: 'universe' },
        { status: 'failed', code, field, says: '0xC02a' },
      ],
    },
  ])
})

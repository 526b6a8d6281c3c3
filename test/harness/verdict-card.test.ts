import assert from 'node:assert/strict'
import { test } from 'node:test'
import { verdictCard } from '../../src/harness/verdict-card.ts'
import type { DecodedLeg } from '../../src/schema/decoded-action.ts'
import { verdictOf } from './stand-in-policy.ts'
import { STRANGER, WALLET } from './stand-in-reader.ts'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const UNLISTED = '0x00000000000000000000000000000000000000aa'
const LEG: DecodedLeg = {
  protocol: 'uniswap',
  chainId: 1,
  kind: 'swap',
  spends: [],
  receives: [],
  grants: [],
  deadline: null,
}

function lines(legs: readonly DecodedLeg[]) {
  return verdictCard({
    requestHash: '0x1',
    title: 'Swap',
    verdict: verdictOf('approved', legs),
    wallet: WALLET,
  }).lines.map(({ label, text }) => `${label}: ${text}`)
}

test('a swap says what leaves, what comes back at least, until when, where and what it is worth', () => {
  const swap: DecodedLeg = {
    ...LEG,
    spends: [{ asset: USDC, amount: '100000000', bound: 'exact', party: WALLET }],
    receives: [{ asset: 'native', amount: '32670000000000000', bound: 'min', party: WALLET }],
    deadline: 1_795_176_000,
  }
  assert.deepEqual(lines([swap]), [
    'leaves: 100 USDC',
    'comes back: at least 0.03267 ETH',
    'until: 2026-11-20T12:00:00.000Z',
    'where: uniswap on Ethereum',
    'worth: $100.00',
  ])
})

test('whoever else receives, pays or may spend is named by address, an unlimited right in capitals, an unlisted token by its address', () => {
  const legs: DecodedLeg[] = [
    {
      ...LEG,
      spends: [{ asset: UNLISTED, amount: '5', bound: 'max', party: STRANGER }],
      receives: [{ asset: USDC, amount: '0', bound: 'min', party: STRANGER }],
    },
    {
      ...LEG,
      kind: 'approve',
      grants: [{ asset: USDC, owner: WALLET, spender: STRANGER, amount: '1', unlimited: true, expiresAt: null }],
    },
  ]
  const stranger = '0x000000000000000000000000000000000000bEEF'
  assert.deepEqual(lines(legs).slice(0, 3), [
    `leaves: at most 5 of the smallest unit of 0x00000000000000000000000000000000000000AA of ${stranger}`,
    `goes to: ${stranger}: at least 0 USDC`,
    `may spend: ${stranger}: UNLIMITED USDC`,
  ])
})

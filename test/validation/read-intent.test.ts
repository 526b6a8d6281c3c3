import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { readIntent } from '../../src/validation/intent/read-intent.ts'
import { amountText, elementsOf, type Intent } from '../../src/validation/intent.ts'

const PAYEE = '0x00000000000000000000000000000000deadbeef'

/** What is read, without what stays silent. */
function read(text: string): Partial<Record<keyof Intent, unknown>> {
  const { amount, ambiguities, ...rest } = readIntent(text)
  const said = Object.entries({ ...rest, amount: amount && amountText(amount) }).filter(([, value]) => value !== null)
  return { ...Object.fromEntries(said), ...(ambiguities.length > 0 && { ambiguities }) }
}

const CASES: Readonly<Record<string, ReturnType<typeof read>>> = {
  'exchange these 40 DAI of mine into WETH': {
    operation: 'swap',
    tokenIn: 'DAI',
    tokenOut: 'WETH',
    amount: '40',
    amountSide: 'in',
  },
  'Sell a quarter of my LINK for USDC': {
    operation: 'swap',
    tokenIn: 'LINK',
    tokenOut: 'USDC',
    amount: '25%',
    amountSide: 'in',
  },
  'buy $250 worth of WBTC with USDT': {
    operation: 'swap',
    tokenIn: 'USDT',
    tokenOut: 'WBTC',
    amount: '$250',
    amountSide: 'out',
  },
  'trade ~2 ether for DAI, no less than 5,900 DAI': {
    operation: 'swap',
    tokenIn: 'ETH',
    tokenOut: 'DAI',
    amount: '~2',
    amountSide: 'in',
    minimumOut: { value: '5900', token: 'DAI' },
  },
  'Purchase 0.2 WETH with USDC for at most 640 USDC': {
    operation: 'swap',
    tokenIn: 'USDC',
    tokenOut: 'WETH',
    amount: '0.2',
    amountSide: 'out',
    maximumIn: { value: '640', token: 'USDC' },
  },
  [`Remit 12.75 USDC to ${PAYEE} over Arbitrum`]: {
    operation: 'transfer',
    tokenIn: 'USDC',
    amount: '12.75',
    amountSide: 'in',
    recipient: { address: PAYEE },
    chainId: 42_161,
  },
  'send 1 ETH to alice.eth': {
    operation: 'transfer',
    tokenIn: 'ETH',
    amount: '1',
    amountSide: 'in',
    recipient: { name: 'alice.eth' },
  },
  'Let Permit2 have an unlimited allowance of USDC': {
    operation: 'approve',
    tokenIn: 'USDC',
    amount: 'unlimited',
    amountSide: 'in',
    venue: 'permit2',
  },
  'exchange three hundred USDC for WETH, tolerate 75 basis points of slippage, deadline in half an hour': {
    operation: 'swap',
    tokenIn: 'USDC',
    tokenOut: 'WETH',
    amount: '300',
    amountSide: 'in',
    slippageBps: 75,
    deadline: { within: 1_800 },
  },
  'wrap 2 ETH before 2027-01-01T00:00:00Z': {
    operation: 'wrap',
    tokenIn: 'ETH',
    amount: '2',
    amountSide: 'in',
    deadline: { by: Date.UTC(2027, 0, 1) / 1000 },
  },
  'deposit everything in DAI on Aave, chain id 8453': {
    operation: 'supply',
    tokenIn: 'DAI',
    amount: 'all',
    amountSide: 'in',
    venue: 'aave',
    chainId: 8_453,
  },
  'repay 1.2k USDC of the loan at Aave': {
    operation: 'repay',
    tokenIn: 'USDC',
    amount: '1200',
    amountSide: 'in',
    venue: 'aave',
  },
}

describe('an intent', () => {
  for (const [text, expected] of Object.entries(CASES))
    it(`is read: ${text}`, () => assert.deepEqual(read(text), expected))

  it('that can be read in two ways says so, and is not guessed', () => {
    const cases: Readonly<Record<string, RegExp>> = {
      'swap 1,5 ETH for USDC': /two ways/,
      'swap 100 USDC for WETH or DAI': /several tokens/,
      'borrow 100 USDC and swap it for WETH': /several things/,
      'send 5 USDC or 10 USDC': /more than one amount/,
      'swap 10 USDC for DAI within 5 minutes, or 10 minutes': /more than one deadline/,
      'swap 10 USDC for DAI on Uniswap or Curve': /more than one venue/,
      'swap 10 USDC for DAI on Base, or Arbitrum': /more than one chain/,
      [`send 5 USDC to ${PAYEE} or 0x00000000000000000000000000000000000000aa`]: /more than one address/,
      'send 5 USDC to 0x00000000000000000000000000000000DeadBeef': /two ways/,
    }
    for (const [text, reason] of Object.entries(cases))
      assert.match(readIntent(text).ambiguities.join('; '), reason, text)
  })

  it('without meaning is silent in everything', () => {
    for (const text of ['', 'hello there', 'what a nice day', '🙂', '\u0000'])
      assert.deepEqual(
        Object.values(elementsOf(readIntent(text))).filter((value) => value !== null),
        [],
        text,
      )
  })

  it('of any text is read without a throw, in no time', () => {
    const words = fc.constantFrom(
      'swap',
      'for',
      '100',
      'USDC',
      'to',
      PAYEE,
      '1,5',
      '%',
      'slippage',
      'a',
      'up',
      'within',
      'minutes',
      '$',
      '~',
      'a.eth',
      '0x',
      'half',
    )
    fc.assert(
      fc.property(
        fc.oneof(
          fc.string({ unit: 'binary' }),
          fc.array(words).map((list) => list.join(' ')),
        ),
        (text) => {
          const { ambiguities } = readIntent(text)
          assert.ok(Array.isArray(ambiguities))
        },
      ),
      { seed: 3, numRuns: 500 },
    )
    readIntent('1'.repeat(4_000))
    readIntent('a-'.repeat(2_000))
    readIntent('to '.repeat(1_300))
  })
})

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Policy } from '../../src/schema/policy.ts'

const CHECKSUMMED = '0xA0b86991c6218b36c1d19D4a2e9Eb0cE3606eB48'
const ADDRESS = CHECKSUMMED.toLowerCase()

const WHOLE = {
  venues: { allow: ['uniswap', 'hyperliquid'] },
  chains: { allow: [8453, 999] },
  contracts: { allow: [{ chainId: 8453, address: ADDRESS, selectors: ['0x3593564c'] }] },
  assets: {
    allow: [
      { chainId: 8453, address: ADDRESS },
      { chainId: 8453, address: 'native' },
      { venue: 'hyperliquid', symbol: 'ETH' },
    ],
  },
  recipients: { allow: [ADDRESS] },
  sides: { allow: ['buy', 'sell'] },
  slippage: { maxBps: 100 },
  priceBound: { maxDeviationBps: 200 },
  leverage: { max: 5, perMarket: { BTC: 3 }, maxPortfolio: 3 },
  sinks: { deny: [ADDRESS] },
  caps: { perTxUsd: 500, outflow24hUsd: 2000 },
  exposure: { perProtocolUsd: { uniswap: 10000, '*': 25000 } },
  review: { aboveUsd: 1000 },
  approvalTtlSeconds: 120,
}

describe('a policy', () => {
  it('can say all that there is, some of it, or nothing', () => {
    assert.deepEqual(Policy.parse(WHOLE), WHOLE)
    assert.deepEqual(Policy.parse({}), {})
    for (const [key, value] of Object.entries(WHOLE)) assert.deepEqual(Policy.parse({ [key]: value }), { [key]: value })
  })

  it('takes addresses with a right checksum, and compares them in lower case', () => {
    assert.deepEqual(Policy.parse({ recipients: { allow: [CHECKSUMMED] } }), { recipients: { allow: [ADDRESS] } })
    const contracts = { allow: [{ chainId: 1, address: CHECKSUMMED }] }
    assert.equal(Policy.parse({ contracts }).contracts?.allow[0]?.address, ADDRESS)
  })

  const wrong: readonly (readonly [string, object])[] = [
    ['caps.perTxUsd', { caps: { perTxUsd: -1 } }],
    ['caps.perTxUsd', { caps: { perTxUsd: '500' } }],
    ['caps.perTxUsd', { caps: { perTxUsd: Number.NaN } }],
    ['caps.perTxUsd', { caps: { perTxUsd: Number.POSITIVE_INFINITY } }],
    ['caps.outflow24hUsd', { caps: { outflow24hUsd: 1e13 } }],
    ['slippage.maxBps', { slippage: { maxBps: 10_001 } }],
    ['slippage.maxBps', { slippage: { maxBps: 0.5 } }],
    ['slippage.maxBps', { slippage: {} }],
    ['recipients.allow.1', { recipients: { allow: [ADDRESS, '0x12'] } }],
    ['recipients.allow.0', { recipients: { allow: [CHECKSUMMED.replace('A', 'a')] } }],
    ['sinks.deny.0', { sinks: { deny: ['vitalik.eth'] } }],
    ['chains.allow.0', { chains: { allow: ['1'] } }],
    ['chains.allow.0', { chains: { allow: [0] } }],
    ['sides.allow.0', { sides: { allow: ['hold'] } }],
    [
      'contracts.allow.0.selectors.0',
      { contracts: { allow: [{ chainId: 1, address: ADDRESS, selectors: ['0x3593564C'] }] } },
    ],
    ['approvalTtlSeconds', { approvalTtlSeconds: 4 }],
    ['approvalTtlSeconds', { approvalTtlSeconds: 86_401 }],
    ['leverage.max', { leverage: { max: 0 } }],
    ['review.aboveUsd', { review: { aboveUsd: -0.01 } }],
    ['venues.allow', { venues: {} }],
    ['venues', { venues: ['uniswap'] }],
  ]
  for (const [path, policy] of wrong)
    it(`names ${path} of ${JSON.stringify(policy)}`, () => {
      const { error } = Policy.safeParse(policy)
      assert.ok(
        error?.issues.some((issue) => issue.path.join('.') === path),
        JSON.stringify(error?.issues),
      )
    })

  it('names a key that it does not have, at any depth', () => {
    const unknown: readonly (readonly [string, string, object])[] = [
      ['', 'cap', { cap: { perTxUsd: 1 } }],
      ['caps', 'daily', { caps: { daily: 1 } }],
      [
        'contracts.allow.0',
        'selector',
        { contracts: { allow: [{ chainId: 1, address: ADDRESS, selector: '0x3593564c' }] } },
      ],
    ]
    for (const [path, key, policy] of unknown) {
      const { error } = Policy.safeParse(policy)
      const found = error?.issues.find((issue) => issue.code === 'unrecognized_keys')
      assert.deepEqual([found?.path.join('.'), found?.keys], [path, [key]])
    }
  })

  it('never takes what is not an object for an empty policy', () => {
    for (const policy of [null, [], '', 0, undefined, 'allow all'])
      assert.equal(Policy.safeParse(policy).success, false)
  })
})

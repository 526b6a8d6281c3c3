import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import type { Address } from '../../../src/lib/address.ts'
import type { Asset } from '../../../src/policy/decoded-action.ts'
import { gather } from '../../../src/policy/gather.ts'
import { isLookAlike, shapeOf } from '../../../src/policy/sources/token-identity/look-alike.ts'
import { tokenIdentity } from '../../../src/policy/sources/token-identity.ts'
import { tokensOf } from '../../../src/registry/index.ts'
import * as c from './contracts.ts'

const NOW = new Date('2026-11-21T12:00:00Z')

let stand: c.ContractsStandIn

describe('the source of token identities', () => {
  before(async () => {
    stand = await c.startContracts()
  })
  after(() => stand.node.stop())
  beforeEach(() => says('ODD', 18))

  function says(symbol: string, decimals: number | bigint): void {
    stand.answer(c.OBSCURE, c.SYMBOL, c.text(symbol))
    stand.answer(c.OBSCURE, c.DECIMALS, c.uint(decimals))
  }

  function source({ now = () => NOW, url = stand.node.url }: { now?: () => Date; url?: string } = {}) {
    return tokenIdentity({ chains: c.clientsOf({ 1: { url } }), now })
  }

  async function identified(one = source(), assets: readonly Asset[] = [c.OBSCURE], chainId = 1) {
    const asked = c.question({ chainId, receives: assets.map((asset) => c.flow(asset)) })
    const { tokens } = await gather(['tokens'], [one], asked)
    assert.ok(tokens)
    return tokens
  }

  async function obscure(one = source()) {
    const fact = await identified(one)
    assert.ok(fact.status !== 'unavailable', JSON.stringify(fact))
    return fact.value[c.OBSCURE]
  }

  describe('who a token is', () => {
    test('the bundled list and the own coin are known without asking', async () => {
      const reads = stand.reads()
      const fact = await identified(source(), ['native', c.USDC, c.WETH])
      assert.ok(fact.status === 'fresh')
      assert.deepEqual(fact.value, {
        native: { symbol: 'ETH', decimals: 18, listed: true, stable: false },
        [c.USDC]: { symbol: 'USDC', decimals: 6, listed: true, stable: true },
        [c.WETH]: { symbol: 'WETH', decimals: 18, listed: true, stable: false },
      })
      assert.equal(stand.reads(), reads)
      const polygon = await identified(source(), ['native'], 137)
      assert.ok(polygon.status === 'fresh')
      assert.equal(polygon.value.native?.symbol, 'POL')
    })

    test('any other token is asked; it is neither listed nor stable, whatever it says', async () => {
      assert.deepEqual(await obscure(), { symbol: 'ODD', decimals: 18, listed: false, stable: false })
      stand.answer(c.OBSCURE, c.SYMBOL, c.bytes32('OLD'))
      assert.equal((await obscure())?.symbol, 'OLD')
      says('ODD', 0)
      assert.equal((await obscure())?.decimals, 0)
      says('比特币', 36)
      assert.deepEqual(await obscure(), { symbol: '比特币', decimals: 36, listed: false, stable: false })
    })

    test('its answer is kept for an hour, and called cached', async () => {
      let at = NOW.getTime()
      const one = source({ now: () => new Date(at) })
      assert.equal((await identified(one)).status, 'fresh')
      says('NEW', 6)
      at += 3_599_000
      const kept = await identified(one)
      assert.ok(kept.status === 'cached')
      assert.equal(kept.value[c.OBSCURE]?.symbol, 'ODD')
      assert.equal(kept.observedAt, NOW.toISOString())
      at += 1_000
      assert.equal((await obscure(one))?.symbol, 'NEW')
    })

    test('what is not known is asked again', async () => {
      const one = source()
      stand.answer(c.OBSCURE, c.DECIMALS, '0x')
      assert.equal(await obscure(one), null)
      says('ODD', 18)
      assert.equal((await obscure(one))?.symbol, 'ODD')
    })
  })

  describe('a token that is nobody', () => {
    const long = 'X'.repeat(33)
    const symbols: readonly [string, c.Answer][] = [
      ['no code', '0x'],
      ['a revert', { error: { code: 3, message: 'execution reverted', data: '0x' } }],
      ['an empty text', c.text('')],
      ['an empty bytes32', c.uint(0)],
      ['too long', c.text(long)],
      ['far too long', c.text('X'.repeat(100_000))],
      [
        'a length beyond the answer',
        `${c.text('ODD').slice(0, 66)}${c.uint(1n << 200n).slice(2)}${c.uint(0).slice(2)}`,
      ],
      ['an offset elsewhere', `0x${c.uint(64).slice(2)}${c.text('ODD').slice(66)}`],
      ['not UTF-8', `0x${c.uint(32).slice(2)}${c.uint(2).slice(2)}c328${'0'.repeat(60)}`],
      ['a line break', c.text('ODD\nApproved')],
      ['a NUL', c.text('OD\0D')],
      ['a zero-width space', c.text('OD\u200bD')],
      ['a right-to-left override', c.text('\u202eDDO')],
      ['a Hangul filler', c.text('ODD\u3164')],
      ['a Braille blank', c.text('ODD\u2800')],
      ['a space before it', c.text(' ODD')],
    ]
    for (const [name, answer] of symbols) {
      test(`symbol: ${name}`, async () => {
        stand.answer(c.OBSCURE, c.SYMBOL, answer)
        assert.equal(await obscure(), null)
      })
    }

    test('decimals: none, two words, more than 36', async () => {
      for (const answer of ['0x', `${c.uint(18)}${'0'.repeat(64)}`, c.uint(37), c.uint(1n << 255n)]) {
        stand.answer(c.OBSCURE, c.DECIMALS, answer)
        assert.equal(await obscure(), null)
      }
    })

    test('one does not take the others with it', async () => {
      stand.answer(c.OBSCURE, c.SYMBOL, '0x')
      const fact = await identified(source(), [c.OBSCURE, c.USDC])
      assert.ok(fact.status === 'fresh')
      assert.equal(fact.value[c.OBSCURE], null)
      assert.equal(fact.value[c.USDC]?.symbol, 'USDC')
    })
  })

  describe('a node that fails', () => {
    const lies: readonly [string, c.Answer][] = [
      ['an error of the node', { error: { code: -32005, message: 'limit' } }],
      ['status 500', { status: 500, body: '' }],
      ['a number', { result: 18 }],
      ['silence', 'hang'],
    ]
    for (const [name, answer] of lies) {
      test(`${name} is no word about the token`, async () => {
        stand.answer(c.OBSCURE, c.SYMBOL, answer)
        const fact = await identified()
        assert.equal(fact.status, 'unavailable')
        assert.equal('value' in fact, false)
      })
    }

    test('no RPC', async () => {
      assert.equal((await identified(source(), [c.OBSCURE], 137)).status, 'unavailable')
    })
  })

  describe('look-alikes', () => {
    const passing = (
      'USDC usdc UЅDC USDС ＵＳＤＣ 𝐔𝐒𝐃𝐂 ÚSDC US-DC USDC. $USDC U$DC ꓴSDC UՏDC USDⅭ USḊC ЦSDC WΕTH VVETH ETH eth DA1 DAl L1NK ' +
      'UN1 vvBTC WB₮C USD₮ U5DT PEРE'
    ).split(' ')
    for (const symbol of [...passing, 'U S D C']) {
      test(`${symbol} is unresolved`, async () => {
        says(symbol, 6)
        assert.equal(await obscure(), null)
      })
    }

    test('a listed symbol of another chain passes for nobody here', async () => {
      says('AERO', 18)
      assert.equal((await obscure())?.symbol, 'AERO')
    })

    test('symbols that only share letters are others', () => {
      for (const symbol of ['USDX', 'xUSDC', 'USDCX', 'ODD', 'ETHX', 'stUSD', 'TUSD']) {
        assert.equal(isLookAlike(symbol, ['USDC', 'ETH', 'stETH', 'USDT']), false, symbol)
      }
    })

    test('no two symbols of the bundled list pass for each other on one chain, so that none is refused by chance', () => {
      for (const chainId of [1, 8453, 42161, 137, 999, 11155111]) {
        const shapes = tokensOf(chainId).map(({ symbol }) => shapeOf(symbol))
        assert.equal(new Set(shapes).size, shapes.length, String(chainId))
      }
    })

    test('a listed token is itself at its own address, also where another copies it', async () => {
      says('USDC', 6)
      const fact = await identified(source(), [c.USDC, c.OBSCURE])
      assert.ok(fact.status !== 'unavailable')
      const addresses: readonly Address[] = [c.USDC, c.OBSCURE]
      assert.deepEqual(
        addresses.map((address) => fact.value[address]?.symbol ?? null),
        ['USDC', null],
      )
    })
  })
})

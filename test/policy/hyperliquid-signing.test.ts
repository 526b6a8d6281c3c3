// Digests and signatures equal to those that the venue's own kit publishes, and to those of an independent library.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { createL1ActionHash } from '@nktkas/hyperliquid/signing'
import { TypedDataEncoder } from 'ethers'
import fc from 'fast-check'
import { serializeSignature } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { z } from 'zod'
import type { Hex } from '../../src/lib/hash.ts'
import { L1Action } from '../../src/policy/hyperliquid-action.ts'
import { unitsOf } from '../../src/policy/hyperliquid-legs.ts'
import { agentDigest, connectionIdOf, userDigest } from '../../src/policy/hyperliquid-signing.ts'
import { members } from '../../src/policy/typed-data.ts'
import { volume } from '../support/volume.ts'

const Signature = z.object({ r: z.string(), s: z.string(), v: z.int() })
const Golden = z.object({
  privateKey: z.string(),
  phantomAgent: z.object({ action: z.json(), nonce: z.int(), connectionId: z.string() }),
  l1: z.array(
    z.object({
      name: z.string(),
      action: z.json(),
      vault: z.string().nullable(),
      nonce: z.int(),
      mainnet: Signature,
      testnet: Signature,
    }),
  ),
  userSigned: z.array(
    z.object({ name: z.string(), primaryType: z.string(), message: z.record(z.string(), z.json()), sig: Signature }),
  ),
  floatToIntForHashing: z.array(z.tuple([z.number(), z.string()])),
})
const golden = Golden.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '..', 'vectors', 'hyperliquid', 'golden.json'), 'utf8')),
)
const account = privateKeyToAccount(golden.privateKey as Hex)

const padded = (text: string): Hex => `0x${text.slice(2).padStart(64, '0')}`
const expectedOf = ({ r, s, v }: z.output<typeof Signature>) =>
  serializeSignature({ r: padded(r), s: padded(s), v: BigInt(v) })
const idOf = (
  action: z.core.util.JSONType,
  nonce: number,
  vaultAddress: string | null = null,
  expiresAfter: number | null = null,
) => connectionIdOf({ action, nonce, vaultAddress, expiresAfter })

describe('signing for Hyperliquid', () => {
  test('an action’s connection id is the published one', () => {
    const { action, nonce, connectionId } = golden.phantomAgent
    assert.equal(idOf(action, nonce), connectionId)
  })

  for (const { name, action, vault, nonce, mainnet, testnet } of golden.l1)
    test(`${name}: the published signatures of both networks`, async () => {
      const id = idOf(action, nonce, vault)
      assert.equal(await account.sign({ hash: agentDigest(id, 'Mainnet') }), expectedOf(mainnet))
      assert.equal(await account.sign({ hash: agentDigest(id, 'Testnet') }), expectedOf(testnet))
    })

  for (const { name, primaryType, message, sig } of golden.userSigned)
    test(`${name}: the published signature`, async () => {
      const type = primaryType.endsWith('UsdSend') ? 'usdSend' : 'withdraw3'
      const digest = userDigest(type, '0x66eee', { ...message, hyperliquidChain: 'Testnet' })
      assert.equal(await account.sign({ hash: digest }), expectedOf(sig))
    })

  test('the chain that a signature is for counts to its last digit', () => {
    const message = { hyperliquidChain: 'Mainnet', destination: `0x${'12'.repeat(20)}`, amount: '1', time: 1 }
    const fields = members('string hyperliquidChain,string destination,string amount,uint64 time')
    for (const chain of ['0x66eee', '0x20000000000001', '0xffffffffffffffff']) {
      const domain = {
        name: 'HyperliquidSignTransaction',
        version: '1',
        chainId: BigInt(chain),
        verifyingContract: `0x${'0'.repeat(40)}`,
      }
      const types = { 'HyperliquidTransaction:UsdSend': [...fields] }
      assert.equal(userDigest('usdSend', chain, message), TypedDataEncoder.hash(domain, types, message), chain)
    }
  })

  test('amounts are read exactly, as the published ones', () => {
    for (const [value, text] of golden.floatToIntForHashing) {
      const decimal = value.toFixed(12).replace(/\.?0+$/, '')
      const units = unitsOf(decimal, 8)
      // What is finer than eight decimals the venue's kit refuses; here it is never less than it says.
      if (text === 'ERROR') assert.equal(units, unitsOf(decimal, 12) / 10_000n + 1n)
      else assert.equal(units.toString(), text)
    }
  })
})

describe('the connection id of any action', () => {
  const decimal = fc
    .tuple(fc.nat(99_999), fc.nat(9999))
    .map(([whole, part]) => `${whole}.${String(part).padStart(4, '0')}`.replace(/\.?0+$/, '') || '1')
    .filter((text) => text !== '0')
  const cloid = fc.uint8Array({ minLength: 16, maxLength: 16 }).map((b) => `0x${Buffer.from(b).toString('hex')}`)
  const order = fc
    .record({
      a: fc.nat(200_000),
      b: fc.boolean(),
      p: decimal,
      s: decimal,
      r: fc.boolean(),
      t: fc.oneof(
        fc.constantFrom('Gtc', 'Ioc', 'Alo').map((tif) => ({ limit: { tif } })),
        fc
          .tuple(fc.boolean(), decimal)
          .map(([isMarket, triggerPx]) => ({ trigger: { isMarket, triggerPx, tpsl: 'sl' } })),
      ),
      c: fc.option(cloid, { nil: undefined }),
    })
    .map(({ c, ...rest }) => ({ ...rest, ...(c && { c }) }))
  const action = fc.oneof(
    fc.array(order, { minLength: 1, maxLength: 20 }).map((orders) => ({ type: 'order', orders, grouping: 'na' })),
    fc.nat(200_000).map((asset) => ({ type: 'updateLeverage', asset, isCross: true, leverage: 5 })),
    fc.array(cloid, { minLength: 1, maxLength: 20 }).map((all) => ({
      type: 'cancelByCloid',
      cancels: all.map((one) => ({ asset: 1, cloid: one })),
    })),
  )
  const vault = fc.option(
    fc.uint8Array({ minLength: 20, maxLength: 20 }).map((b): Hex => `0x${Buffer.from(b).toString('hex')}`),
    { nil: undefined },
  )

  test('is that of an independent library', () => {
    fc.assert(
      fc.property(
        action,
        fc.maxSafeNat(),
        vault,
        fc.option(fc.maxSafeNat(), { nil: undefined }),
        (one, nonce, to, until) => {
          const parsed = L1Action.parse(one)
          const theirs = createL1ActionHash({
            action: parsed,
            nonce,
            ...(to && { vaultAddress: to }),
            ...(until !== undefined && { expiresAfter: until }),
          })
          assert.equal(idOf(one as never, nonce, to ?? null, until ?? null), theirs)
        },
      ),
      { numRuns: volume(300, 5_000), seed: 7 },
    )
  })
})

// Signed orders through the service: what decides about them, and how long what they may spend is held.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { followDue } from '../../src/harness/order-follower.ts'
import { toAddress } from '../../src/lib/address.ts'
import { silentLog } from '../../src/lib/log.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import type { Facts } from '../../src/policy/facts.ts'
import type { AnySource } from '../../src/policy/source.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { DAI, FRIEND, factsOf, STRANGER, USDC, unavailable, WALLET, WETH } from '../support/actions.ts'
import { startApp } from '../support/app.ts'
import { fixedSources } from '../support/fixed-sources.ts'
import { ORDER_PROTOCOLS, orderOf, type Terms, UNTIL } from '../support/signed-orders.ts'

const ZERO = '0x0000000000000000000000000000000000000000'
const PERMIT2 = '0x000000000022d473030f116ddee9f6b43ac78ba3'

const POLICY: Policy = {
  chains: { allow: [1] },
  venues: { allow: [...ORDER_PROTOCOLS] },
  assets: { allow: [USDC, WETH].map((address) => ({ chainId: 1, address })) },
  slippage: { maxBps: 100 },
  caps: { perTxUsd: 150, outflow24hUsd: 250 },
}

/** What each action is asked about is what is true of it. */
function sourcesOf(override: Facts = {}): readonly AnySource[] {
  const actions = ORDER_PROTOCOLS.flatMap((protocol) =>
    [WALLET, FRIEND, STRANGER].flatMap((to) =>
      [WETH, DAI].flatMap((token) => decodeProposed(orderOf(protocol, { to, token }), WALLET)),
    ),
  )
  const [first, ...rest] = actions.map((result) => (result.ok ? factsOf(result.value) : assert.fail(result.reason)))
  assert.ok(first)
  const { tokens, prices, sanctions } = rest.reduce(
    (all, one) => ({
      ...all,
      tokens: { ...all.tokens, value: { ...valueOf(all.tokens), ...valueOf(one.tokens) } },
      prices: { ...all.prices, value: { ...valueOf(all.prices), ...valueOf(one.prices) } },
      sanctions: { ...all.sanctions, value: { hits: [], screened: [...screenedOf(all), ...screenedOf(one)] } },
    }),
    first,
  )
  return fixedSources({ tokens, prices, sanctions, ...override } as Facts)
}
const valueOf = (fact: object) => ('value' in fact ? (fact.value as object) : assert.fail())
const screenedOf = ({ sanctions }: Facts) =>
  sanctions && 'value' in sanctions ? sanctions.value.screened : assert.fail()

for (const protocol of ORDER_PROTOCOLS)
  describe(`a signed order of ${protocol}, submitted over REST`, () => {
    let app: Awaited<ReturnType<typeof startApp>>
    let key: string
    before(async () => {
      app = await startApp({ sources: sourcesOf() })
      key = await app.keyOf(WALLET, [1, 8453])
      await app.policy.writePolicy(WALLET, POLICY, 'test')
    })
    after(() => app.close())

    const verdictOn = async (terms: Terms, policy: Policy = POLICY) => {
      await app.policy.writePolicy(WALLET, policy, 'test')
      const proposedTx = orderOf(protocol, terms)
      return app.verdictOn(key, { escrowAddress: WALLET, prompt: 'An order.', proposedTx })
    }
    const reasonOf = async (terms: Terms, policy?: Policy) => {
      const { reasonCode, triggeringPolicyField } = await verdictOn(terms, policy)
      return [reasonCode, triggeringPolicyField]
    }
    const held = async () => app.storage.stores.holds.outflowSince(WALLET, (await app.storage.now()) - 86_400_000)
    const cancel = (requestHash: string) => app.send('POST', `/transactions/${requestHash}/cancel`, key, {})

    test('is decided by what it may do at worst', async () => {
      const verdict = await verdictOn({ to: protocol === 'uniswapx' ? WALLET : ZERO })
      assert.equal(verdict.outcome, 'approved', verdict.humanReason)
      assert.equal(verdict.humanReason, 'At most 100 USDC leaves; at least 0.0331 WETH comes back; worth $100.00.')
      assert.equal(verdict.usdNotional, 100)
      const [leg] = verdict.evidence.decodedActions ?? []
      assert.deepEqual([leg?.kind, leg?.deadline], ['swap', UNTIL])
      assert.match(String(verdict.evidence.decodedAction['digest']), /^0x[0-9a-f]{64}$/)
      assert.equal(await held(), 100_000_000n)
    })

    test('is refused below the price, to strangers, above the caps, in other assets, and at other venues', async () => {
      assert.deepEqual(await reasonOf({ least: 32_900_000_000_000_000n }), ['no_slippage_guard', 'slippage.maxBps'])
      assert.deepEqual(await reasonOf({ least: 0n }), ['no_slippage_guard', null])
      assert.deepEqual(await reasonOf({ to: STRANGER }), ['recipient_not_allowed', 'recipients.allow'])
      const friendly = { ...POLICY, recipients: { allow: [toAddress(FRIEND)] } }
      assert.deepEqual(await reasonOf({ to: FRIEND }, friendly), ['allowed', null])
      const dear = { sold: 200_000_000n, least: 66_600_000_000_000_000n }
      assert.deepEqual(await reasonOf(dear), ['per_tx_cap_exceeded', 'caps.perTxUsd'])
      assert.deepEqual(await reasonOf({}), ['outflow_24h_exceeded', 'caps.outflow24hUsd'])
      assert.deepEqual(await reasonOf({ token: DAI, least: 10n ** 20n }), ['asset_not_in_universe', 'assets.allow'])
      assert.deepEqual(await reasonOf({}, { ...POLICY, venues: { allow: ['uniswap'] } }), [
        'venue_not_allowed',
        'venues.allow',
      ])
      const contracts = (address: string) => ({ contracts: { allow: [{ chainId: 1, address: toAddress(address) }] } })
      assert.deepEqual(await reasonOf({}, contracts(PERMIT2)), ['contract_or_selector_not_allowed', 'contracts.allow'])
    })

    test('that is cancelled holds what it may spend until its own end, and then counts as spent', async () => {
      const { storage } = app
      const until = Math.floor(Date.now() / 1000) + 600
      await app.policy.writePolicy(WALLET, {}, 'test')
      const before = await held()
      const submitted = await app.send('POST', '/transactions', key, {
        escrowAddress: WALLET,
        prompt: 'An order.',
        proposedTx: orderOf(protocol, { until }),
      })
      const { requestHash } = submitted.body as { requestHash: string }
      while (((await storage.stores.transactions.byRequestHash(requestHash as never))?.status ?? '') !== 'APPROVED')
        await new Promise((resolve) => setTimeout(resolve, 5))
      assert.equal((await cancel(requestHash)).status, 200)
      assert.equal((await cancel(requestHash)).status, 200)
      assert.equal(await held(), before + 100_000_000n)
      await storage.stores.holds.expireDue((await storage.now()) + 3_600_000)
      // What the tests before it hold ends with their approvals; this one goes on.
      assert.equal(await held(), 100_000_000n)
      const follow = (now: number) => followDue({ storage: { ...storage, now: async () => now }, log: silentLog })
      assert.equal(await follow(until * 1000), 0)
      assert.equal(await held(), 100_000_000n)
      assert.equal(await follow((until + 61) * 1000), 1)
      assert.equal(await held(), 100_000_000n)
      assert.equal(await storage.stores.holds.settle(requestHash as never, 'voided'), false)
    })

    test('is not approved while a price or a screening is missing', async () => {
      for (const override of [{ prices: unavailable('usd-price') }, { sanctions: unavailable('sanctions') }]) {
        const silent = await startApp({ sources: sourcesOf(override) })
        const other = await silent.keyOf(WALLET, [1])
        await silent.policy.writePolicy(WALLET, POLICY, 'test')
        const request = { escrowAddress: WALLET, prompt: 'An order.', proposedTx: orderOf(protocol) }
        assert.equal((await silent.verdictOn(other, request)).reasonCode, 'data_unavailable')
        await silent.close()
      }
    })
  })

// One suite over every tool: what all of them owe, whatever they do.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import type { Deposit, HarnessContext, Tool } from '../../src/harness/tool.ts'
import { tools } from '../../src/harness/tools/index.ts'
import { ok } from '../../src/lib/result.ts'
import { decodeProposed } from '../../src/policy/decode-proposed.ts'
import { lendingPools, tokenBySymbol, vaultsOf } from '../../src/registry/index.ts'
import { isEvmTx, ProposedTx } from '../../src/schema/action.ts'
import { STRANGER, standInContext, WALLET } from '../harness/stand-in-reader.ts'

const usdc = tokenBySymbol(1, 'USDC')
const VAULT = vaultsOf(1).find(({ asset }) => asset === usdc?.address) ?? assert.fail('no vault of USDC')
const [POOL] = lendingPools(1)
assert.ok(usdc && POOL)
const DEPOSITS: readonly Deposit[] = [
  {
    venue: 'aave',
    market: POOL.market,
    address: POOL.pool,
    token: usdc,
    supplied: 50_000_000n,
    debt: 0n,
    shares: null,
  },
  {
    venue: VAULT.venue,
    market: VAULT.name,
    address: VAULT.vault,
    token: usdc,
    supplied: 9_000_000n,
    debt: 0n,
    shares: 8n,
  },
]
/** Tools of perpetuals are for a wallet of HyperEVM, those of predictions for one of Polygon, all others are tried on Ethereum. */
const chainOf = ({ name }: Tool) => {
  if (name.startsWith('prediction_')) return 137
  return name.startsWith('perp_') || name === 'market_price' ? 999 : 1
}
const context = (tool: Tool) => standInContext({ deposits: DEPOSITS, chainId: chainOf(tool) })

/** Arguments that each tool accepts. A tool without any here fails the suite. */
const GOOD: Readonly<Record<string, readonly object[]>> = {
  read_portfolio: [{}],
  quote_swap: [{ sell: 'USDC', buy: 'WETH', amount: '100' }],
  swap: [
    { sell: 'USDC', buy: 'WETH', amount: '100' },
    { sell: 'ETH', buy: 'USDC', amount: '1', side: 'exact-in', recipient: STRANGER, minimumOutput: '0', via: STRANGER },
    { sell: 'USDC', buy: 'ETH', amount: '1', side: 'exact-out' },
  ],
  transfer: [{ token: 'USDC', to: STRANGER, amount: '1' }],
  approve_token: [{ token: 'USDC', spender: 'permit2', amount: '1' }],
  explain_verdict: [{}],
  check_intent: [{ intent: 'swap 100 USDC for WETH', tool: 'swap', arguments: { sell: 'USDC' } }],
  simulate: [{ tool: 'swap', arguments: { sell: 'USDC', buy: 'WETH', amount: '100' } }],
  price: [{ token: 'WETH' }],
  gas: [{}],
  history: [{ limit: 5 }],
  limits: [{}],
  list_approvals: [{}],
  revoke_approval: [{ token: 'USDC', spender: STRANGER }],
  wrap: [{ amount: '1' }],
  unwrap: [{ amount: '0.1' }],
  lend_supply: [{ token: 'USDC', amount: '100' }],
  lend_withdraw: [
    { token: 'USDC', amount: '10' },
    { token: 'USDC', amount: 'all' },
  ],
  lend_positions: [{}],
  vault_deposit: [{ vault: VAULT.name, amount: '10' }],
  vault_withdraw: [{ vault: VAULT.vault, amount: 'all' }],
  remember: [{ fact: 'Prefers USDC.' }],
  forget: [{ number: 1 }],
  read_skill: [{ name: 'dca' }, { name: 'dca', file: 'notes.md' }],
  bash: [{ command: 'echo hello' }],
  perp_order: [
    { market: 'BTC', side: 'buy', size: '0.01' },
    { market: 'btc', side: 'sell', size: '0.01', price: '61000', reduceOnly: true },
  ],
  perp_cancel: [{ market: 'BTC' }],
  perp_leverage: [{ market: 'BTC', leverage: 3, margin: 'isolated' }],
  perp_withdraw: [{ amount: '100', to: STRANGER }],
  perp_positions: [{}],
  prediction_order: [
    { market: 'will-it-rain', outcome: 'Yes', side: 'buy', shares: '20' },
    { market: 'Will-It-Rain', outcome: 'no', side: 'sell', shares: '20', price: '0.5', minutes: 60 },
  ],
  prediction_cancel: [{ market: 'will-it-rain' }],
  prediction_markets: [{ query: 'rain' }, { market: 'will-it-rain' }],
  market_price: [{ market: 'BTC' }],
}

const OWN: HarnessContext = {
  memory: {
    facts: async () => [],
    remember: async (fact) => ok(fact),
    forget: async () => true,
    forgetAll: async () => 0,
    timeZone: async () => undefined,
    setTimeZone: async () => undefined,
  },
  skills: { read: async () => ok({ text: 'Buy.', files: [] }) },
  shell: { run: async () => ok({ exitCode: 0, stdout: 'hello', stderr: '', cut: false }) },
  signal: new AbortController().signal,
}

function run(tool: Tool, args: unknown) {
  if (tool.kind === 'harness') return tool.run(args, OWN)
  return tool.kind === 'action' ? tool.propose(args, context(tool)) : tool.read(args, context(tool))
}

test('names are unique, and every tool has arguments to be tried with', () => {
  assert.deepEqual(tools.map(({ name }) => name).sort(), Object.keys(GOOD).sort())
})

for (const tool of tools) {
  describe(tool.name, () => {
    const good = GOOD[tool.name] ?? []

    test('is described by a name, a sentence and a closed JSON Schema of an object', () => {
      assert.match(tool.name, /^[a-z]+(_[a-z]+)*$/)
      assert.match(tool.description, /\.$/)
      const { type, additionalProperties } = tool.parameters as Record<string, unknown>
      assert.deepEqual([type, additionalProperties], ['object', false])
      assert.doesNotThrow(() => JSON.stringify(tool.parameters))
    })

    for (const args of good)
      test(`accepts ${JSON.stringify(args)}`, async () => {
        const result = await run(tool, args)
        if (tool.name === 'explain_verdict')
          return assert.deepEqual(result, { ok: false, reason: 'There is no verdict yet.' })
        assert.ok(result.ok, result.ok ? '' : result.reason)
        if (tool.kind !== 'action') return assert.ok('message' in result.value && result.value.message.length > 0)
        assert.ok('steps' in result.value && result.value.steps.length > 0)
        for (const { tx, summary } of result.value.steps) {
          const proposed = ProposedTx.parse(tx)
          if (!isEvmTx(proposed)) {
            const decoded = decodeProposed(proposed, WALLET)
            assert.ok(decoded.ok, decoded.ok ? '' : decoded.reason)
          }
          assert.equal(tx.chainId, chainOf(tool))
          assert.ok(summary.length > 0)
        }
      })

    test('refuses, and never throws, whatever it is given', async () => {
      const hostile = fc.oneof(
        fc.anything(),
        fc.constantFrom('', 'all', null, [], ['USDC'], { __proto__: { amount: '1' } }, { toString: 1 }),
        fc.record(
          { sell: fc.string(), buy: fc.string(), amount: fc.string(), token: fc.string(), to: fc.string() },
          { requiredKeys: [] },
        ),
        fc
          .tuple(fc.constantFrom(...good), fc.string(), fc.anything())
          .map(([args, key, value]) => ({ ...args, [`x${key}`]: value })),
      )
      await fc.assert(
        fc.asyncProperty(hostile, async (args) => {
          const result = await run(tool, args)
          if (result.ok) return assert.deepEqual(args, {}, 'only an empty object can be right by chance')
          assert.equal(typeof result.reason, 'string')
        }),
        { numRuns: 150, seed: 7 },
      )
    })

    test('refuses each argument in any other type, and names it', async () => {
      for (const args of good)
        for (const key of Object.keys(args))
          for (const wrong of ['x', 1, null, true, [], {}, { $ne: 1 }]) {
            if (typeof wrong === typeof (args as Record<string, unknown>)[key]) continue
            const result = await run(tool, { ...args, [key]: wrong })
            assert.ok(!result.ok)
            assert.match(result.reason, new RegExp(`\\b${key}\\b`))
          }
    })
  })
}

// The golden verdicts through the chat's tools: what a tool proposes is decided as the same bytes are anywhere else.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { maxUint256 } from 'viem'
import type { Outbound } from '../../src/harness/channel.ts'
import { runTool } from '../../src/harness/run-tool.ts'
import { noSkills } from '../../src/harness/skills.ts'
import type { Deposit } from '../../src/harness/tool.ts'
import { tools } from '../../src/harness/tools/index.ts'
import type { Trading } from '../../src/harness/trading.ts'
import type { VerdictCard } from '../../src/harness/verdict-card.ts'
import { silentLog } from '../../src/lib/log.ts'
import { known } from '../../src/policy/facts.ts'
import { tokenAt } from '../../src/registry/index.ts'
import type { Verdict } from '../../src/schema/verdict.ts'
import { FRIEND, USDC, WALLET } from '../support/actions.ts'
import { startService } from '../support/app.ts'
import { fixedSources } from '../support/fixed-sources.ts'
import { AAVE_POOL } from '../support/lending.ts'
import { timeless, type VerdictVector, verdictVectors } from '../support/verdict-vectors.ts'
import { call } from './scripted-provider.ts'
import { standIn } from './stand-in-policy.ts'
import { NOW, standInContext } from './stand-in-reader.ts'

const VAULT = '0xbeef01735c132ada46aa9aa4c54623caa92a64cb'
const usdc = tokenAt(1, USDC)
assert.ok(usdc)
const DEPOSIT: Deposit = {
  venue: 'aave',
  market: 'AaveV3Ethereum',
  address: AAVE_POOL,
  token: usdc,
  supplied: 4_000_000_000n,
  debt: 0n,
  shares: null,
}

/** The words in which a person's wish reaches the tool, by golden case. */
const WISHES: Readonly<Record<string, readonly [tool: string, args: object]>> = {
  'approved-transfer': ['transfer', { token: 'USDC', to: FRIEND, amount: '20' }],
  'approved-off-peg': ['transfer', { token: 'USDC', to: FRIEND, amount: '250' }],
  'rejected-above-the-peg': ['transfer', { token: 'USDC', to: FRIEND, amount: '250' }],
  'rejected-stale-price': ['transfer', { token: 'USDC', to: FRIEND, amount: '20' }],
  'rejected-price-off-the-market': ['transfer', { token: 'USDC', to: FRIEND, amount: '20' }],
  'approved-supply': ['lend_supply', { token: 'USDC', amount: '500' }],
  'rejected-exposure': ['lend_supply', { token: 'USDC', amount: '900' }],
  'rejected-unpriced-position': ['lend_supply', { token: 'USDC', amount: '10' }],
  'approved-withdraw-all': ['lend_withdraw', { token: 'USDC', amount: 'all' }],
  'rejected-withdraw-all-above-the-cap': ['lend_withdraw', { token: 'USDC', amount: 'all' }],
  'rejected-withdraw-beyond-leverage': ['lend_withdraw', { token: 'USDC', amount: '700' }],
  'approved-vault-deposit': ['vault_deposit', { vault: VAULT, amount: '100' }],
  'rejected-exposure-of-any-other': ['vault_deposit', { vault: VAULT, amount: '150' }],
}

describe('golden verdicts through the tools of the chat', () => {
  for (const [name, [tool, args]] of Object.entries(WISHES))
    it(`${name.replaceAll('-', ' ')}: ${tool}`, async () => {
      const vector = verdictVectors().find((one) => one.name === name)
      assert.ok(vector, name)
      await decideThrough(vector, tool, args)
    })
})

async function decideThrough(vector: VerdictVector, tool: string, args: object): Promise<void> {
  assert.equal(known(vector.facts.outflow24h)?.microUsd, '0')
  const service = await startService({ sources: fixedSources(vector.facts) })
  try {
    const principal = await service.agentOf(WALLET, [1], vector.policy ?? undefined)
    const { trading } = standIn(['approved'])
    const { reader } = standInContext({ allowance: maxUint256, deposits: [DEPOSIT] })
    const cards: VerdictCard[] = []
    const settings = {
      tools,
      trading: { ...trading, reader, principal, policy: service.policy } satisfies Trading,
      mode: 'dry-run' as const,
      log: silentLog,
      own: { memory: undefined, skills: noSkills, shell: undefined },
      now: () => NOW,
      emit: async (message: Outbound) => {
        if (message.type === 'verdict') cards.push(message.card)
      },
    }
    await runTool(call(tool, args), settings, new AbortController().signal)
    const { verdict } = await service.policy.pastVerdict(principal)
    assert.deepEqual(comparable(verdict), comparable(vector.expected))
    assert.equal(cards.at(-1)?.reason, verdict.humanReason)
  } finally {
    await service.close()
  }
}

/** A verdict without the hash over the action's own words: a tool names the venue, a caller may name its kind. */
function comparable(verdict: unknown): unknown {
  const { evidence, ...rest } = timeless(verdict) as Verdict
  const { actionHash: _, ...observations } = evidence.observations
  return { ...rest, evidence: { ...evidence, observations } }
}

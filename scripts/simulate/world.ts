import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createAgents, createAuth } from '../../src/auth/index.ts'
import type { Config } from '../../src/config.ts'
import {
  createGate,
  createHarness,
  createMemory,
  createPaper,
  createPaperGate,
  createSkills,
  type Harness,
  type Paper,
  paperReader,
  pastVerdicts,
  type Reader,
  type Skills,
  type Trading,
  tools,
} from '../../src/harness/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { silentLog } from '../../src/lib/log.ts'
import { createAttestor, createPolicyService, type PolicyService, type Principal } from '../../src/policy/index.ts'
import { registerHarness } from '../../src/process/register-harness.ts'
import type { ProposedTx } from '../../src/schema/action.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { openStorage, type Storage } from '../../src/storage/index.ts'
import { marketOf } from './market.ts'
import type { Settings } from './settings.ts'

/** A harness in a time of its own: the product's own policy service, tools, turns and paper, over recorded prices. */
export type World = Readonly<{
  /** Moves the clock of everything, in ms. It never goes back. */
  moveTo(time: number): void
  harness: Harness
  skills: Skills
  paper: Paper
  trading: Trading
  storage: Storage
  policy: PolicyService
  /** What holds, and whether it is the configured one. */
  limits: Policy
  hasOwnPolicy: boolean
  close(): Promise<void>
}>

const WALLET = toAddress('0x00000000000000000000000000000000000a11ce')
const DAY_MS = 86_400_000

/** What holds where the configuration has no policy: small trades at Uniswap and lending, to nobody else. */
const DEFAULT_POLICY: Policy = {
  venues: { allow: ['uniswap', 'weth', 'erc20', 'native', 'permit2', 'aave'] },
  slippage: { maxBps: 100 },
  caps: { perTxUsd: 1_000, outflow24hUsd: 2_000 },
}

/** Builds a world. @throws CountersignError where the settings do not fit it */
export async function openWorld(config: Config, settings: Settings): Promise<World> {
  const clock = { time: settings.from }
  const now = () => new Date(clock.time)
  const storage = await openStorage({ url: undefined, clock: () => clock.time })
  const market = marketOf(config.chainId, settings, now)
  const attestor = createAttestor(`0x${'07'.repeat(32)}`)
  const policy = createPolicyService({
    storage,
    sources: market.sources,
    log: silentLog,
    attestor,
    approvalTtlSeconds: config.approvalTtlSeconds,
  })
  const limits = config.policy ?? DEFAULT_POLICY
  const own = { ...config, wallet: WALLET, policy: limits, serviceApiKey: undefined }
  const principal = await registerHarness(own, {
    auth: createAuth({ storage, adminKey: undefined }),
    agents: createAgents({ storage }),
    storage,
    policy,
  })
  if (principal === undefined) throw new CountersignError('internal', 'The simulated wallet could not be registered.')
  const real: Reader = { ...market.reader, ...decisionsOf(policy, principal, storage) }
  const owner = { wallet: WALLET, chainId: config.chainId, mode: 'dry-run' } as const
  const { publicKey } = attestor
  const paper = createPaper({ storage, owner, mode: 'dry-run', reader: real, publicKey, balances: settings.balances })
  const reader = paperReader({ reader: real, paper, chainId: config.chainId })
  const gate = createGate({ mode: 'dry-run', chains: { of: () => undefined }, wallet: WALLET, log: silentLog })
  const trading = {
    wallet: WALLET,
    chainId: config.chainId,
    reader,
    policy,
    principal,
    gate: createPaperGate(gate, paper),
    paper,
    rehearsal: {
      preview: (actions: readonly ProposedTx[]) => policy.preview(principal, { wallet: WALLET, actions }),
      run: async () => undefined,
    },
    slippageBps: async () => Math.floor((limits.slippage?.maxBps ?? 100) / 2),
  }
  const skills = await createSkills({ folder: skillFolder(), log: silentLog })
  const harness = createHarness({
    agents: settings.model ? config.agents : [{ id: 'main', name: 'Countersign' }],
    providers: settings.model ? config.providers : {},
    mode: 'dry-run',
    trading,
    tools,
    memory: createMemory(storage.stores, storage.now),
    skills,
    log: silentLog,
    now,
  })
  return {
    moveTo(time) {
      clock.time = time
    },
    harness,
    skills,
    paper,
    trading,
    storage,
    policy,
    limits,
    hasOwnPolicy: config.policy !== undefined,
    async close() {
      await skills.close()
      await storage.close()
    },
  }
}

/** What tools read of decisions, and of the ledger. */
function decisionsOf(
  policy: PolicyService,
  principal: Principal,
  { stores, now }: Storage,
): Pick<Reader, 'verdict' | 'history' | 'limits'> {
  return {
    verdict: pastVerdicts(policy, principal),
    history: async (limit) => (await policy.listSubmissions(principal, { limit })).items,
    async limits() {
      const record = await policy.readPolicy(WALLET)
      const outflow = await stores.holds.outflowSince(WALLET, (await now()) - DAY_MS)
      return { policy: record?.policy, version: record?.version, outflow }
    },
  }
}

/** The folder of skills here, else the one that is shipped. */
function skillFolder(): string {
  return existsSync('skills') ? 'skills' : join(import.meta.dirname, '..', '..', 'skills')
}

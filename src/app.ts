import { createLimiter, createServer, type HeldPort, probes, routes, type Services } from './api/index.ts'
import { createAgents, createAuth, createIdentity, createIntegrators } from './auth/index.ts'
import { createChains } from './chain/index.ts'
import type { Signer } from './chain/signer.ts'
import type { Config } from './config.ts'
import {
  type AccountReport,
  createGate,
  createHarness,
  createSkills,
  createWebChannel,
  type Gate,
  type Harness,
  tools,
  type WebChannel,
} from './harness/index.ts'
import { CountersignError } from './lib/errors.ts'
import type { Log } from './lib/log.ts'
import {
  createAttestor,
  createPolicyService,
  hyperliquidMargin,
  hyperliquidMarkets,
  listFault,
  type PolicyService,
  type Principal,
  positions,
  SANCTIONS_MAX_AGE_DAYS,
  sanctions,
  tokenIdentity,
  usdPrice,
} from './policy/index.ts'
import { attestationKey } from './process/attestation-key.ts'
import { peopleOf } from './process/chat.ts'
import { createConsole } from './process/console-token.ts'
import { decisionsOf } from './process/decisions.ts'
import { forget } from './process/forget.ts'
import { createHealth } from './process/health.ts'
import { liveChat } from './process/live-chat.ts'
import { keepMemory } from './process/memory.ts'
import { createMetrics } from './process/metrics.ts'
import { followOrdersOf, hyperliquidOf } from './process/order-following.ts'
import { withOwnPort } from './process/own-port.ts'
import { predictionsOf } from './process/polymarket.ts'
import { registerHarness } from './process/register-harness.ts'
import { createSchedules } from './process/schedules.ts'
import { serve } from './process/serve.ts'
import { shellOf } from './process/shell.ts'
import { tradingOf } from './process/trading.ts'
import { everyMinutes, startUpkeep } from './process/upkeep.ts'
import { modelOf, validatorOf } from './process/validation.ts'
import { verificationService } from './process/verification-service.ts'
import { VERSION } from './process/version.ts'
import { openStorage, type Storage } from './storage/index.ts'

/** A built application. Nothing is served before `start`. */
export type App = Readonly<{
  policy: PolicyService
  storage: Storage
  harness: Harness
  chat: WebChannel
  /** Who the harness is to the policy; nothing where no wallet is configured. */
  principal: Principal | undefined
  /** Begins to serve. @throws CountersignError unavailable when the port cannot be had */
  start(): Promise<Readonly<{ port: number; consoleUrl: string | undefined }>>
  /** Says that it is not ready any more, and answers what still comes. Before `stop`, where others may be asking. */
  drain(): Promise<void>
  /** Opens the channels anew, as they are configured now. */
  reopen(config: Config): Promise<void>
  /** Tells the owner something. False where no owner has a chat. */
  tell(text: string): Promise<boolean>
  /** Stops accepting, finishes what was accepted, and closes the store. */
  stop(): Promise<void>
}>

/**
 * The composition root: everything is built here, once, and nowhere else.
 *
 * @throws CountersignError naming the setting that is wrong or missing
 */
export async function createApp(given: Config, log: Log): Promise<App> {
  const { config, held } = await withOwnPort(given)
  try {
    const storage = await openStorage({ url: config.databaseUrl })
    try {
      return await build(config, log, storage, held)
    } catch (thrown) {
      await storage.close()
      throw thrown
    }
  } catch (thrown) {
    await held?.release()
    throw thrown
  }
}

async function build(config: Config, log: Log, storage: Storage, held: HeldPort | undefined): Promise<App> {
  // An embedded database has one process: whoever was at a decision, or at anything else, before is gone.
  if (storage.dialect === 'sqlite')
    await Promise.all([storage.stores.undecided.endLeases(), storage.stores.leases.clear()])
  const deciding = await decidingOf(config, log, storage)
  const { policy, decisions, metrics, venue, predictions } = deciding
  const acting = await actingOf(config, log, storage, deciding)
  const { gate, principal, harness, skills, schedules, stopForgetting, paper } = acting
  const chat = createWebChannel()
  const { switchboard, webhooks, webOwners, reopen } = liveChat(config, { harness, chat, storage, log })
  metrics.watchChannels(switchboard.reports)
  const upkeep = startUpkeep({
    policy: deciding.chores,
    gate,
    log,
    forget: () => forget(storage),
    orders: followOrdersOf({ storage, venue, venues: predictions.orderVenues, config, log }),
    mark: paper && everyMinutes(paper.mark),
  })
  const state = { stopping: false }
  const webConsole = config.webChat ? createConsole(config.consoleToken) : undefined
  const server = createServer({
    routes: config.role === 'harness' ? probes : routes,
    log,
    settings: { publicUrl: config.publicUrl, validationIsPublic: config.validationIsPublic },
    console: webConsole && { chat, token: webConsole.token, owners: webOwners },
    webhooks,
    services: await servicesOf(config, storage, deciding, { state, reports: switchboard.reports }),
  })
  return {
    policy,
    storage,
    harness,
    chat,
    principal,
    reopen,
    tell: switchboard.tell,
    start: () => serve(config, { server, switchboard, webConsole, held, schedules, harness }),
    async drain() {
      state.stopping = true
      await server.drain()
    },
    async stop() {
      state.stopping = true
      decisions.stop()
      await server.close()
      await held?.release()
      await switchboard.stop()
      await schedules.stop()
      gate?.stop()
      await upkeep.stop()
      await skills.close()
      stopForgetting()
      webConsole?.close()
      await storage.close()
    },
  }
}

type Deciding = Awaited<ReturnType<typeof decidingOf>>

/** What decides, what it reads, and who is asking. */
async function decidingOf(config: Config, log: Log, storage: Storage) {
  const now = () => new Date()
  const chains = createChains(config.chains)
  const prices = usdPrice({ chains, now, table: config.sources.prices.table })
  const { maxAgeDays = SANCTIONS_MAX_AGE_DAYS } = config.sources.sanctions
  const venue = hyperliquidOf(config, storage)
  const signer = await signerOf(config)
  const predictions = predictionsOf(config, signer)
  const desks = { venue, predictions, signer }
  const sources = [
    prices,
    tokenIdentity({ chains, now }),
    sanctions({ chains, now, maxAgeDays }),
    positions({ chains, now, prices }),
    hyperliquidMarkets(venue),
    hyperliquidMargin(venue),
    ...predictions.sources,
  ]
  const attestor = createAttestor(await attestationKey(storage, config.signingKey))
  const { approvalTtlSeconds } = config
  const metrics = createMetrics()
  metrics.watch(storage)
  const policy = createPolicyService({ storage, sources, log, attestor, approvalTtlSeconds, observe: metrics.decided })
  const decided = await decisionsOf(config, { storage, policy, attestor, log })
  const auth = createAuth({ storage, adminKey: config.adminKey })
  const agents = createAgents({ storage })
  return { now, chains, prices, maxAgeDays, ...desks, attestor, metrics, policy, ...decided, auth, agents }
}

/** What acts: the gate, the harness, its skills and schedules. */
async function actingOf(config: Config, log: Log, storage: Storage, deciding: Deciding) {
  const { now, chains, policy, decisions, trusted, auth, agents } = deciding
  const gate = gateOf(config, log, storage, deciding)
  const principal = await registerHarness(config, { auth, agents, storage, policy })
  // The agent's own check: a model that proposes is not asked to judge itself.
  const validator = validatorOf({ chains, policy, model: undefined, now })
  const trading =
    principal && gate
      ? tradingOf({
          ...deciding,
          config,
          storage,
          principal,
          gate,
          validator,
          policy: decisions,
          publicKey: trusted,
          preview: config.remote === undefined ? policy.preview : undefined,
        })
      : undefined
  const { memory, stop: stopForgetting } = keepMemory({ storage, retentionDays: config.retentionDays, log })
  const skills = await createSkills({ folder: 'skills', log })
  const schedules = createSchedules({ agents: config.agents, skills, storage, log })
  const harness = createHarness({
    ...peopleOf({ config, storage, policy: decisions, principal, trading, log }),
    agents: config.agents,
    providers: config.providers,
    mode: config.mode,
    trading,
    tools: config.typedTools ? tools : tools.filter(({ kind }) => kind === 'harness'),
    memory,
    skills,
    shell: shellOf(config),
    onScheduled: schedules.onScheduled,
    log,
    now,
  })
  return { gate, principal, harness, skills, schedules, stopForgetting, paper: trading?.paper }
}

type Condition = Readonly<{ state: Readonly<{ stopping: boolean }>; reports(): readonly AccountReport[] }>

/** What the routes work with. */
async function servicesOf(
  config: Config,
  storage: Storage,
  { now, chains, maxAgeDays, attestor, metrics, policy, auth, agents, serviceFault }: Deciding,
  { state, reports }: Condition,
): Promise<Services> {
  return {
    policy,
    auth,
    agents,
    integrators: createIntegrators({ storage, auth }),
    identity: createIdentity({ storage, auth, chains, publicUrl: config.publicUrl }),
    limiter: createLimiter(config.rateLimits, storage.stores.rateLimits),
    audit: storage.stores.audit,
    verificationServices: [await verificationService(storage, attestor)],
    metrics,
    validator: validatorOf({ chains, policy, model: modelOf(config), now }),
    version: VERSION,
    health: createHealth(storage, {
      isStopping: () => state.stopping,
      channels: reports,
      listFault: () => listFault(now(), maxAgeDays),
      serviceFault,
    }),
  }
}

/** The one place that reads the key. It goes to the signer, and that to the gate and to what proves the address to a venue. */
async function signerOf({ mode, wallet, privateKey }: Config): Promise<Signer | undefined> {
  if (mode !== 'direct' || wallet === undefined || privateKey === undefined) return undefined
  // Loaded where there is something to sign with, and nowhere else.
  const { createSigner } = await import('./chain/signer.ts')
  return createSigner(privateKey)
}

function gateOf(
  config: Config,
  log: Log,
  storage: Storage,
  { chains, trusted: publicKey, decisions: { claim }, venue, predictions, signer }: Deciding,
): Gate | undefined {
  const { wallet } = config
  if (wallet === undefined || config.role === 'service') return undefined
  if (config.mode === 'dry-run') return createGate({ mode: 'dry-run', chains, wallet, log })
  if (signer === undefined) throw new CountersignError('invalid_request', 'EXECUTION_MODE=direct needs PRIVATE_KEY.')
  if (!storage.durable)
    throw new CountersignError('invalid_request', 'EXECUTION_MODE=direct needs a durable store: set DATABASE_URL.')
  const venues = predictions.orderVenues
  return createGate({ mode: 'direct', chains, wallet, log, storage, signer, publicKey, claim, venue, venues })
}

import { createLimiter, createServer, routes, type Server, type Services } from './api/index.ts'
import { createAgents, createAuth, createIdentity, createIntegrators } from './auth/index.ts'
import { createChains, createHyperliquid, type Hyperliquid } from './chain/index.ts'
import { createSigner } from './chain/signer.ts'
import type { Config } from './config.ts'
import {
  createGate,
  createHarness,
  createSkills,
  createWebChannel,
  followDue,
  type Gate,
  type Harness,
  type Switchboard,
  tools,
  type WebChannel,
} from './harness/index.ts'
import { CountersignError } from './lib/errors.ts'
import type { Log } from './lib/log.ts'
import {
  type Attestor,
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
import { createConsole, type WebConsole } from './process/console-token.ts'
import { forget } from './process/forget.ts'
import { createHealth } from './process/health.ts'
import { liveChat } from './process/live-chat.ts'
import { keepMemory } from './process/memory.ts'
import { createMetrics } from './process/metrics.ts'
import { registerHarness } from './process/register-harness.ts'
import { createSchedules } from './process/schedules.ts'
import { shellOf } from './process/shell.ts'
import { tradingOf } from './process/trading.ts'
import { startUpkeep } from './process/upkeep.ts'
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
export async function createApp(config: Config, log: Log): Promise<App> {
  const storage = await openStorage({ url: config.databaseUrl })
  try {
    return await build(config, log, storage)
  } catch (thrown) {
    await storage.close()
    throw thrown
  }
}

async function build(config: Config, log: Log, storage: Storage): Promise<App> {
  // An embedded database has one process: whoever was at a decision before is gone.
  if (storage.dialect === 'sqlite') await storage.stores.undecided.endLeases()
  const deciding = await decidingOf(config, log, storage)
  const { policy, metrics, venue } = deciding
  const acting = await actingOf(config, log, storage, deciding)
  const { gate, principal, harness, skills, schedules, stopForgetting } = acting
  const chat = createWebChannel()
  const { switchboard, webhooks, reopen } = liveChat(config, { harness, chat, storage, log })
  metrics.watchChannels(switchboard.reports)
  const upkeep = startUpkeep({
    policy,
    gate,
    log,
    forget: () => forget(storage),
    follow: () => followDue({ storage, venue, log }),
  })
  const state = { stopping: false }
  const webConsole = config.webChat ? createConsole(config.consoleToken) : undefined
  const server = createServer({
    routes,
    log,
    settings: { publicUrl: config.publicUrl, validationIsPublic: config.validationIsPublic },
    console: webConsole && { chat, token: webConsole.token },
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
    async start() {
      const served = await serve(config, { server, switchboard, webConsole })
      schedules.start({ harness, switchboard })
      return served
    },
    async drain() {
      state.stopping = true
      await server.drain()
    },
    async stop() {
      state.stopping = true
      await server.close()
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
  const venue = createHyperliquid({ ...config.sources.hyperliquid, now: () => Date.now() })
  const sources = [
    prices,
    tokenIdentity({ chains, now }),
    sanctions({ chains, now, maxAgeDays }),
    positions({ chains, now, prices }),
    hyperliquidMarkets(venue),
    hyperliquidMargin(venue),
  ]
  const attestor = createAttestor(await attestationKey(storage, config.signingKey))
  const { approvalTtlSeconds } = config
  const metrics = createMetrics()
  metrics.watch(storage)
  const policy = createPolicyService({ storage, sources, log, attestor, approvalTtlSeconds, observe: metrics.decided })
  const auth = createAuth({ storage, adminKey: config.adminKey })
  const agents = createAgents({ storage })
  return { now, chains, prices, maxAgeDays, venue, attestor, metrics, policy, auth, agents }
}

/** What acts: the gate, the harness, its skills and schedules. */
async function actingOf(config: Config, log: Log, storage: Storage, deciding: Deciding) {
  const { now, chains, prices, venue, attestor, policy, auth, agents } = deciding
  const gate = gateOf(config, log, storage, chains, attestor, venue)
  const principal = await registerHarness(config, { auth, agents, storage, policy })
  // The agent's own check: a model that proposes is not asked to judge itself.
  const validator = validatorOf({ chains, policy, model: undefined, now })
  const trading =
    principal && gate
      ? tradingOf({ config, chains, policy, principal, gate, prices, storage, venue, validator })
      : undefined
  const { memory, stop: stopForgetting } = keepMemory({ storage, retentionDays: config.retentionDays, log })
  const skills = await createSkills({ folder: 'skills', log })
  const schedules = createSchedules({ agents: config.agents, skills, storage, log })
  const harness = createHarness({
    ...peopleOf({ config, storage, policy, principal, trading, log }),
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
  return { gate, principal, harness, skills, schedules, stopForgetting }
}

type Condition = Readonly<{ state: Readonly<{ stopping: boolean }>; reports: Parameters<typeof createHealth>[2] }>

/** What the routes work with. */
async function servicesOf(
  config: Config,
  storage: Storage,
  { now, chains, maxAgeDays, attestor, metrics, policy, auth, agents }: Deciding,
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
    health: createHealth(
      storage,
      () => state.stopping,
      reports,
      () => listFault(now(), maxAgeDays),
    ),
  }
}

/** The one place that reads the key: it goes to the signer, and the signer to the gate. */
function gateOf(
  config: Config,
  log: Log,
  storage: Storage,
  chains: ReturnType<typeof createChains>,
  { publicKey }: Attestor,
  venue: Hyperliquid,
): Gate | undefined {
  const { wallet, privateKey } = config
  if (wallet === undefined) return undefined
  if (config.mode === 'dry-run') return createGate({ mode: 'dry-run', chains, wallet, log })
  if (privateKey === undefined)
    throw new CountersignError('invalid_request', 'EXECUTION_MODE=direct needs PRIVATE_KEY.')
  if (!storage.durable)
    throw new CountersignError('invalid_request', 'EXECUTION_MODE=direct needs a durable store: set DATABASE_URL.')
  const signer = createSigner(privateKey)
  return createGate({ mode: 'direct', chains, wallet, log, storage, signer, publicKey, venue })
}

type Served = Readonly<{ server: Server; switchboard: Switchboard; webConsole: WebConsole | undefined }>

async function serve(config: Config, { server, switchboard, webConsole }: Served) {
  // First: whoever asks then is told what is under way from before.
  await switchboard.start()
  const { port } = await server.listen(config.port, config.host)
  return { port, consoleUrl: webConsole?.open(config.host, port) }
}

import { type App, createApp } from '../app.ts'
import { type Config, configPath, loadConfig } from '../config.ts'
import { CountersignError, messageOf } from '../lib/errors.ts'
import { createLog, type Log } from '../lib/log.ts'
import { giveBackSoon } from './give-back.ts'
import { watchConfig } from './reload.ts'
import { startTracing, type Tracing } from './tracing.ts'

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Starts the process and ends it on SIGINT and SIGTERM. A start-up that fails says why in one message and exits 1. */
export async function run(): Promise<void> {
  const told = toldToEnd()
  try {
    const config = loadConfig()
    const log = createLog(config.logLevel, process.stderr.isTTY)
    const tracing = config.traces === undefined ? undefined : await startTracing(config.traces)
    const app = await createApp(config, log)
    const { port, consoleUrl } = await started(app)
    report(config, log, port)
    giveBackSoon()
    if (consoleUrl !== undefined) process.stdout.write(`\nChat with it: npm run chat, or open\n  ${consoleUrl}\n\n`)
    const watched = watchConfig({
      config,
      read: loadConfig,
      path: configPath(),
      harness: app.harness,
      policy: config.remote === undefined ? app.policy : undefined,
      reopen: app.reopen,
      notice: async (text) => {
        await app.tell(text).catch(() => undefined)
      },
      log,
    })
    void told.then(async () => {
      await watched.close()
      await end(app, log, tracing)
    })
  } catch (thrown) {
    const known = thrown instanceof CountersignError
    process.stderr.write(`countersign did not start. ${known ? messageOf(thrown) : 'It met a fault of its own.'}\n`)
    process.exitCode = 1
  }
}

/** The first signal to end, whenever it comes: one during the start waits for it. A second one ends the process at once. */
function toldToEnd(): Promise<void> {
  return new Promise((resolve) => {
    const told = () => {
      for (const signal of SIGNALS) process.off(signal, told)
      resolve()
    }
    for (const signal of SIGNALS) process.on(signal, told)
  })
}

async function started(app: App): ReturnType<App['start']> {
  try {
    return await app.start()
  } catch (thrown) {
    await app.stop()
    throw thrown
  }
}

function report(config: Config, log: Log, port: number): void {
  const { mode, modeChosen, host, chainId, wallet, databaseUrl, role, remote } = config
  log.info({ role, host, port, mode, chainId, store: storeOf(databaseUrl) }, 'Ready.')
  if (role === 'service') return log.info({}, 'This process decides. It has no chat, and signs and sends nothing.')
  if (remote !== undefined) log.info({}, 'The policy service that service.url names decides.')
  if (remote !== undefined && config.policy !== undefined)
    log.warn({}, 'The policy in the configuration file is not in force: the one of the policy service is.')
  if (!modeChosen) log.info({}, 'EXECUTION_MODE is not set: this is a dry run, nothing is signed or sent.')
  if (config.agents.every(({ provider }) => provider === undefined))
    log.info({}, 'No model is configured: a rule-based stand-in answers.')
  if (wallet === undefined)
    log.info({}, 'WALLET_ADDRESS is not set: the agents can talk, and nothing can be read or proposed.')
  else if (!config.chains.some(({ id, rpcUrl }) => id === chainId && rpcUrl !== undefined))
    log.info({}, 'RPC_URL is not set: the agents can talk, and nothing can be read or proposed.')
}

function storeOf(url: string | undefined): string {
  if (url === undefined) return 'memory'
  return url.startsWith('file:') ? 'file' : 'postgres'
}

async function end(app: App, log: Log, tracing: Tracing | undefined): Promise<void> {
  log.info({}, 'Stopping.')
  try {
    await app.drain()
    await app.stop()
    await tracing?.stop()
  } catch (thrown) {
    log.error({ error: messageOf(thrown) }, 'The stop failed.')
    process.exitCode = 1
  }
  process.exit()
}

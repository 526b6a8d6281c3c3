// A harness over recorded prices, and its tools run one by one.
import { readPrices } from '../../scripts/simulate/prices.ts'
import type { Settings } from '../../scripts/simulate/settings.ts'
import { openWorld, type World } from '../../scripts/simulate/world.ts'
import { readConfig } from '../../src/config.ts'
import type { Outbound } from '../../src/harness/channel.ts'
import { type RunToolSettings, runTool } from '../../src/harness/run-tool.ts'
import { tools } from '../../src/harness/tools/index.ts'
import { silentLog } from '../../src/lib/log.ts'
import type { Policy } from '../../src/schema/policy.ts'

export const DAY_MS = 86_400_000
/** To whom the wallet may send. */
export const FRIEND = '0xf700000000000000000000000000000000000057'
export const START = Date.parse('2026-01-01')

/** Each day another price of ETH. */
export const PRICES = 'time,ETH\n2026-01-01,2000\n2026-01-02,2500\n2026-01-03,2000\n2026-01-04,1000\n'

export type PaperWorld = World &
  Readonly<{
    /** Runs a tool as a turn would; what the model is told, and what people see. */
    use(name: string, args: object, origin?: RunToolSettings['origin']): Promise<Used>
  }>

export type Used = Readonly<{ told: string; isError: boolean; out: readonly Outbound[] }>

/** Opens it at the first of the prices. */
export async function paperWorld(
  balances: Readonly<Record<string, string>> = { USDC: '10000', ETH: '10' },
  policy: Policy = {},
  changed: Partial<Settings> = {},
): Promise<PaperWorld> {
  const prices = readPrices(PRICES)
  const span = { from: START, to: START + 4 * DAY_MS, schedule: undefined, timeZone: undefined, html: undefined }
  const settings = {
    skill: 'dca',
    file: 'test',
    prices,
    ...span,
    balances,
    feeBps: 100,
    gasPrice: 10n ** 9n,
    model: false,
  }
  const world = await openWorld(
    readConfig({ env: {}, file: { policy: { recipients: { allow: [FRIEND] }, ...policy } } }),
    { ...settings, ...changed },
  )
  return {
    ...world,
    async use(name, args, origin) {
      const out: Outbound[] = []
      const running: RunToolSettings = {
        tools,
        trading: world.trading,
        mode: 'dry-run',
        log: silentLog,
        origin,
        emit: async (message) => void out.push(message),
        own: { memory: undefined, skills: world.skills, shell: undefined },
        now: () => new Date(START),
      }
      const { result, isError } = await runTool(
        { id: 'c', name, arguments: args },
        running,
        new AbortController().signal,
      )
      return { told: result, isError, out }
    },
  }
}

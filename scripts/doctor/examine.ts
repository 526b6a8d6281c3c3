import { statSync } from 'node:fs'
import { createChains } from '../../src/chain/index.ts'
import type { Config } from '../../src/config.ts'
import { createModels } from '../../src/harness/connect-provider.ts'
import { createSkills } from '../../src/harness/skills.ts'
import { CountersignError, messageOf } from '../../src/lib/errors.ts'
import { silentLog } from '../../src/lib/log.ts'
import { shellOf } from '../../src/process/shell.ts'
import { chainOf, tokenBySymbol } from '../../src/registry/index.ts'
import { openStorage } from '../../src/storage/index.ts'

/** One thing that was looked at. `wrong` does not work; `danger` works, and an owner should know. */
export type Finding = Readonly<{ level: 'ok' | 'missing' | 'danger' | 'wrong'; what: string; says: string }>

const WAIT_MS = 10_000

/** Looks at all that a configuration names. Asks each model for one word, and changes nothing. */
export async function examine(config: Config): Promise<readonly Finding[]> {
  const parts = [
    () => modeOf(config),
    () => paperOf(config),
    () => storeOf(config),
    () => walletOf(config),
    () => chainsOf(config),
    () => modelsOf(config),
    () => policyOf(config),
    () => channelsOf(config),
    () => bashOf(config),
    () => listenerOf(config),
    () => skillsOf(),
    () => envFileOf(),
  ]
  const found: Finding[] = []
  for (const part of parts) found.push(...(await part()))
  return found
}

function modeOf({ mode, modeChosen }: Config): readonly Finding[] {
  if (mode === 'direct')
    return [
      { level: 'danger', what: 'mode', says: 'direct: approved actions are signed and sent, and cannot be undone.' },
    ]
  return [
    { level: 'ok', what: 'mode', says: `dry-run${modeChosen ? '' : ' (the default)'}: nothing is signed or sent.` },
  ]
}

/** A balance that names no token would end every look at the portfolio. */
function paperOf({ paper, mode, chainId }: Config): readonly Finding[] {
  if (mode === 'direct') return []
  if (paper === undefined) return [{ level: 'missing', what: 'paper', says: 'off: a dry run keeps no portfolio.' }]
  const names = Object.keys(paper.balances ?? {})
  const isCoin = (name: string) => name.toLowerCase() === chainOf(chainId)?.native.toLowerCase() || name === 'native'
  const unknown = names.filter((name) => !isCoin(name) && !tokenBySymbol(chainId, name))
  if (unknown.length > 0)
    return [
      {
        level: 'wrong',
        what: 'paper',
        says: `paper.balances: ${unknown.join(', ')} is no listed token of chain ${chainId}.`,
      },
    ]
  const begins = names.length === 0 ? 'what the wallet has' : names.join(' and ')
  return [{ level: 'ok', what: 'paper', says: `a portfolio that begins with ${begins}; /paper shows it.` }]
}

async function storeOf({ databaseUrl }: Config): Promise<readonly Finding[]> {
  if (databaseUrl === undefined)
    return [
      {
        level: 'missing',
        what: 'store',
        says: 'in memory: conversations, verdicts and schedules are gone with the process. Set DATABASE_URL.',
      },
    ]
  const kind = databaseUrl.startsWith('file:') ? 'a file' : 'PostgreSQL'
  try {
    const storage = await openStorage({ url: databaseUrl, poolSize: 1 })
    await storage.check()
    await storage.close()
    return [{ level: 'ok', what: 'store', says: `${kind}, reachable and up to date.` }]
  } catch (thrown) {
    return [{ level: 'wrong', what: 'store', says: `${kind}: ${said(thrown)}` }]
  }
}

function walletOf({ wallet, chainId }: Config): readonly Finding[] {
  if (wallet === undefined)
    return [
      { level: 'missing', what: 'wallet', says: 'WALLET_ADDRESS is not set: agents talk, and cannot read or propose.' },
    ]
  return [{ level: 'ok', what: 'wallet', says: `${wallet} on chain ${chainId}.` }]
}

async function chainsOf({ chains, chainId }: Config): Promise<readonly Finding[]> {
  const clients = createChains(chains)
  return Promise.all(
    chains.map(async ({ id, name, rpcUrl }): Promise<Finding> => {
      const what = `node of ${name || `chain ${id}`}`
      if (rpcUrl === undefined)
        return {
          level: 'missing',
          what,
          says: id === chainId ? 'RPC_URL is not set: nothing can be read or proposed.' : 'not set.',
        }
      try {
        await clients.of(id)?.verify({ signal: AbortSignal.timeout(WAIT_MS) })
        return { level: 'ok', what, says: `answers, and is chain ${id}.` }
      } catch (thrown) {
        return { level: 'wrong', what, says: said(thrown) }
      }
    }),
  )
}

async function modelsOf({ agents, providers }: Config): Promise<readonly Finding[]> {
  const models = createModels(providers)
  return Promise.all(
    agents.flatMap((agent) =>
      [agent, ...(agent.fallbacks ?? [])].map(async ({ provider, model }, i): Promise<Finding> => {
        const what = `model of ${agent.id}${i === 0 ? '' : `, fallback ${i}`}`
        if (provider === undefined)
          return { level: 'missing', what, says: 'none: a rule-based stand-in answers. Set the key of a provider.' }
        const label = `${provider}${model === undefined ? '' : ` ${model}`}`
        try {
          await oneWord(models.of({ provider, model }))
          return { level: 'ok', what, says: `${label} answers.` }
        } catch (thrown) {
          return { level: 'wrong', what, says: `${label}: ${said(thrown)}` }
        }
      }),
    ),
  )
}

async function oneWord({ provider, model }: ReturnType<ReturnType<typeof createModels>['of']>): Promise<void> {
  const messages = [{ role: 'user', text: 'Answer with the word: ready' }] as const
  const signal = AbortSignal.timeout(WAIT_MS)
  for await (const event of provider.stream({ model, system: 'Be brief.', messages, tools: [], signal }))
    if (event.type === 'done') return
}

function policyOf({ policy, mode }: Config): readonly Finding[] {
  const level = mode === 'direct' ? 'danger' : 'missing'
  if (!policy)
    return [
      { level, what: 'policy', says: 'none in the file: unless one is written by the API, every action is rejected.' },
    ]
  const open = [
    ...(policy.caps?.perTxUsd === undefined ? ['caps.perTxUsd'] : []),
    ...(policy.caps?.outflow24hUsd === undefined ? ['caps.outflow24hUsd'] : []),
    ...(policy.venues === undefined ? ['venues'] : []),
  ]
  if (open.length === 0)
    return [{ level: 'ok', what: 'policy', says: 'limits for one transaction, for a day, and venues.' }]
  return [{ level: 'danger', what: 'policy', says: `without limits: ${open.join(', ')} is not set.` }]
}

function channelsOf({ bots, webChat, agents, mode }: Config): readonly Finding[] {
  const found = bots.map(({ platform, account, access }): Finding => {
    const what = `${platform} ${account}`
    const { allowFrom = [], pairing } = access
    if (allowFrom.length === 0 && !pairing)
      return { level: 'missing', what, says: 'nobody may write: set allowFrom, or pairing.' }
    if ((access.owners ?? []).length === 0)
      return { level: 'danger', what, says: 'no owner: nobody can pause it, and schedules have no chat.' }
    return {
      level: 'ok',
      what,
      says: `${allowFrom.length} may write${pairing ? ', others by a code that an owner confirms' : ''}.`,
    }
  })
  const unasked = mode === 'direct' ? agents.filter(({ confirm }) => confirm === 'never') : []
  return [
    ...found,
    { level: webChat ? 'ok' : 'missing', what: 'web chat', says: webChat ? 'on, with a token.' : 'off.' },
    ...unasked.map(
      ({ id }): Finding => ({
        level: 'danger',
        what: `agent ${id}`,
        says: 'confirm is never: what the policy approves is executed without asking anybody.',
      }),
    ),
  ]
}

function bashOf(config: Config): readonly Finding[] {
  if (!config.bash) return [{ level: 'ok', what: 'bash tool', says: 'off.' }]
  try {
    shellOf(config)
    const { commands = [], paths = [] } = config.bash.allow ?? {}
    return [
      {
        level: 'danger',
        what: 'bash tool',
        says: `on: ${commands.join(', ')} in ${paths.join(', ') || 'no folder'}${config.bash.serviceKey ? ', curl with the service key' : ''}.`,
      },
    ]
  } catch (thrown) {
    return [{ level: 'wrong', what: 'bash tool', says: said(thrown) }]
  }
}

function listenerOf({ host, port, adminKey, serviceApiKey }: Config): readonly Finding[] {
  const isLocal = /^(127\.|localhost$|::1$)/.test(host)
  return [
    {
      level: isLocal ? 'ok' : 'danger',
      what: 'listener',
      says: isLocal ? `${host}:${port}, this machine alone.` : `${host}:${port}: others reach it. Put TLS before it.`,
    },
    ...(adminKey === undefined
      ? [
          {
            level: 'missing',
            what: 'SERVICE_ADMIN_KEY',
            says: 'not set: policies and keys cannot be changed by the API.',
          } as const,
        ]
      : []),
    ...(serviceApiKey === undefined
      ? [{ level: 'missing', what: 'SERVICE_API_KEY', says: 'not set: the harness uses its own way in.' } as const]
      : []),
  ]
}

async function skillsOf(): Promise<readonly Finding[]> {
  const skills = await createSkills({ folder: 'skills', log: silentLog })
  const [list, problems] = [skills.list(), skills.problems()]
  await skills.close()
  const scheduled = list.filter(({ schedule }) => schedule !== undefined).map(({ name }) => name)
  return [
    {
      level: list.length > 0 ? 'ok' : 'missing',
      what: 'skills',
      says: `${list.length} loaded${scheduled.length > 0 ? `, by themselves: ${scheduled.join(', ')}` : ''}.`,
    },
    ...problems.map(({ skill, problem }): Finding => ({ level: 'wrong', what: `skill ${skill}`, says: problem })),
  ]
}

/** A key that others on the machine can read. */
function envFileOf(): readonly Finding[] {
  const file = statSync('.env', { throwIfNoEntry: false })
  if (!file) return []
  const isPrivate = process.platform === 'win32' || (file.mode & 0o077) === 0
  return [
    {
      level: isPrivate ? 'ok' : 'danger',
      what: '.env',
      says: isPrivate ? 'readable by you alone.' : 'others can read it: chmod 600 .env',
    },
  ]
}

function said(thrown: unknown): string {
  return thrown instanceof CountersignError ? messageOf(thrown) : 'it failed.'
}

import { CountersignError } from '../lib/errors.ts'
import { type Candidate, createResting, type ModelPrice, withFailover } from './failover.ts'
import type { Provider, ProviderSettings } from './provider.ts'
import { providers as dialects } from './providers/index.ts'

/** A model as configured: what it can do, hold and cost. */
export type ModelConfig = Readonly<{
  id: string
  supportsToolUse?: boolean | undefined
  /** Tokens that it can read. */
  contextWindow?: number | undefined
  price?: ModelPrice | undefined
}>

/** A provider of the configuration: a dialect, where it is spoken, and what its models can do. */
export type ProviderConfig = ProviderSettings &
  Readonly<{
    /** A dialect's name. */
    api: string
    models?: readonly ModelConfig[] | undefined
  }>

/** A model by its place in the configuration; the provider's first model where none is named. */
export type ModelChoice = Readonly<{ provider?: string | undefined; model?: string | undefined }>

/** Which model speaks for an agent, and which take over when it cannot. */
export type AgentModels = ModelChoice & Readonly<{ fallbacks?: readonly ModelChoice[] | undefined }>

/** What can be asked on behalf of an agent. `contextWindow` is the smallest of its models', in tokens. */
export type ConnectedModel = Readonly<{
  provider: Provider
  model: string
  supportsToolUse: boolean
  contextWindow: number
  /** Whether all that it uses has a price. */
  priced: boolean
}>

/** Finds the model of an agent. Its provider is connected at the first use, so that nothing is loaded in vain. */
export type Models = Readonly<{
  /** @throws CountersignError `invalid_request` for a provider, dialect or model that is not configured */
  of(agent: AgentModels): ConnectedModel
}>

/** Tokens that a model is taken to read where the configuration says nothing. */
const CONTEXT_WINDOW = 32_000

type Found = Candidate & Readonly<{ contextWindow: number }>

/** The models of a configuration. An agent without a provider speaks through the offline stand-in. */
export function createModels(
  configured: Readonly<Record<string, ProviderConfig>>,
  now: () => number = () => performance.now(),
): Models {
  const connected = new Map<string, Promise<Provider>>()
  const resting = createResting(now)
  return {
    of(agent) {
      const [first, others] = [find(agent), (agent.fallbacks ?? []).map(find)]
      const all = [first, ...others] as const
      return {
        provider: withFailover(all, resting, now),
        model: first.model,
        supportsToolUse: first.supportsToolUse,
        contextWindow: Math.min(...all.map(({ contextWindow }) => contextWindow)),
        priced: all.every(({ price }) => price !== undefined),
      }
    },
  }

  function find({ provider: name, model }: ModelChoice): Found {
    if (name === undefined) return OFFLINE
    const config = Object.hasOwn(configured, name) ? configured[name] : undefined
    if (!config) throw new CountersignError('invalid_request', `The provider ${name} is not configured.`)
    const id = model ?? config.models?.[0]?.id
    if (id === undefined)
      throw new CountersignError('invalid_request', `No model of the provider ${name} is configured.`)
    const known = config.models?.find((one) => one.id === id)
    return {
      label: `${name}/${id}`,
      model: id,
      supportsToolUse: known?.supportsToolUse ?? true,
      contextWindow: known?.contextWindow ?? CONTEXT_WINDOW,
      price: known?.price,
      connect: () => connect(name, config),
    }
  }

  function connect(name: string, config: ProviderConfig): Promise<Provider> {
    const known = connected.get(name)
    if (known) return known
    const dialect = dialects.find(({ api }) => api === config.api)
    if (!dialect)
      throw new CountersignError('invalid_request', `The provider ${name} has an unknown api: ${config.api}.`)
    const provider = dialect.connect(config)
    connected.set(name, provider)
    // A failed load is tried again by the next message.
    provider.catch(() => connected.delete(name))
    return provider
  }
}

const OFFLINE: Found = {
  label: 'offline',
  model: 'offline',
  supportsToolUse: true,
  contextWindow: CONTEXT_WINDOW,
  price: { input: 0, output: 0 },
  async connect() {
    const dialect = dialects.find(({ api }) => api === 'offline')
    if (!dialect) throw new CountersignError('internal', 'The offline stand-in is missing.')
    return dialect.connect({})
  },
}

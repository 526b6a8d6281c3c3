import { CountersignError } from '../lib/errors.ts'
import type { Provider, ProviderSettings } from './provider.ts'
import { providers as dialects } from './providers/index.ts'

/** A provider of the configuration: a dialect, where it is spoken, and what its models can do. */
export type ProviderConfig = ProviderSettings &
  Readonly<{
    /** A dialect's name. */
    api: string
    models?: readonly Readonly<{ id: string; supportsToolUse?: boolean | undefined }>[] | undefined
  }>

/** A model that can be asked. */
export type ConnectedModel = Readonly<{ provider: Provider; model: string; supportsToolUse: boolean }>

/** Finds the model of an agent. Its provider is connected at the first use, so that nothing is loaded in vain. */
export type Models = Readonly<{
  of(agent: Readonly<{ provider?: string | undefined; model?: string | undefined }>): Promise<ConnectedModel>
}>

/**
 * The models of a configuration. An agent without a provider speaks through the offline stand-in.
 *
 * @throws CountersignError `invalid_request` from `of`, for a provider, dialect or model that is not configured
 */
export function createModels(configured: Readonly<Record<string, ProviderConfig>>): Models {
  const connected = new Map<string, Promise<Provider>>()
  return {
    async of({ provider: name, model }) {
      if (name === undefined)
        return { provider: await connect('offline', { api: 'offline' }), model: 'offline', supportsToolUse: true }
      const config = Object.hasOwn(configured, name) ? configured[name] : undefined
      if (!config) throw new CountersignError('invalid_request', `The provider ${name} is not configured.`)
      const id = model ?? config.models?.[0]?.id
      if (id === undefined)
        throw new CountersignError('invalid_request', `No model of the provider ${name} is configured.`)
      const supportsToolUse = config.models?.find((one) => one.id === id)?.supportsToolUse ?? true
      return { provider: await connect(name, config), model: id, supportsToolUse }
    },
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

import type { Chains } from '../chain/index.ts'
import type { Config } from '../config.ts'
import { createModels } from '../harness/index.ts'
import { type Address, toAddress } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import { ok } from '../lib/result.ts'
import type { Facts, PolicyService } from '../policy/index.ts'
import { createValidator, type Inspection, type Known, type Model, type Validator } from '../validation/index.ts'
import { runTrial } from './trial.ts'

type Parts = Readonly<{
  chains: Pick<Chains, 'of'>
  policy: Pick<PolicyService, 'inspect'>
  /** What semantic nodes ask; none where there is none. */
  model: Model | undefined
  now(): Date
}>

const BALANCE_OF = '0x70a08231'

/** The validator over the policy engine's decoders and sources, the configured nodes of chains, and a model. */
export function validatorOf({ chains, policy, model, now }: Parts): Validator {
  return createValidator({
    async inspect(tx, wallet) {
      const inspected = await policy.inspect(tx, wallet)
      if (!inspected.ok) return inspected
      const { facts, ...action } = inspected.value
      return ok({ ...action, ...factsOf(facts) })
    },
    balanceOf: (chainId, wallet, asset) => balanceOf(chains, chainId, wallet, asset),
    simulate: (trial) => runTrial(chains, trial),
    model,
    now,
  })
}

function factsOf({
  tokens,
  prices,
  markets,
  sanctions,
}: Facts): Pick<Inspection, 'tokens' | 'prices' | 'marks' | 'sanctions'> {
  return {
    tokens: knownOf('Token identities', tokens, (value) => value as Readonly<Record<string, never>>),
    prices: knownOf('Prices', prices, (value) =>
      Object.fromEntries(Object.entries(value).map(([asset, price]) => [asset, price ? BigInt(price.usdE8) : null])),
    ),
    marks: knownOf('Markets', markets, (value) =>
      Object.fromEntries(Object.entries(value).map(([market, found]) => [market, found?.mark ?? null])),
    ),
    sanctions: knownOf('Sanctions', sanctions, ({ screened, hits }) => ({ screened: screened.length, hits })),
  }
}

type Had<T> = Readonly<{ status: string; source: string; value?: T; reason?: string }>

function knownOf<T, U>(name: string, fact: Had<T> | undefined, read: (value: T) => U): Known<U> {
  if (fact === undefined) return { missing: `${name} have no source.` }
  return fact.value === undefined
    ? { missing: fact.reason ?? `${fact.source} is unavailable.` }
    : { value: read(fact.value) }
}

async function balanceOf(
  chains: Parts['chains'],
  chainId: number,
  wallet: Address,
  asset: string,
): Promise<bigint | undefined> {
  const chain = chains.of(chainId)
  if (chain === undefined) return undefined
  if (asset === 'native') return chain.balanceOf(wallet)
  const data = `${BALANCE_OF}${wallet.slice(2).padStart(64, '0')}` as const
  const answer = await chain.call({ to: toAddress(asset), data })
  return answer.ok && /^0x[0-9a-f]{64}$/i.test(answer.value) ? BigInt(answer.value) : undefined
}

/** The first agent's model, asked one question at a time. The stand-in is no model. */
export function modelOf({ agents, providers }: Pick<Config, 'agents' | 'providers'>): Model | undefined {
  const [agent] = agents
  if (agent.provider === undefined) return undefined
  const { provider, model } = createModels(providers).of(agent)
  return {
    async ask({ system, user, signal }) {
      let text = ''
      for await (const event of provider.stream({
        model,
        system,
        messages: [{ role: 'user', text: user }],
        tools: [],
        signal,
      })) {
        if (event.type === 'failover') text = ''
        if (event.type === 'text') text += event.text
        if (event.type === 'done' && event.reason === 'stop') return text
      }
      throw new CountersignError('unavailable', 'The model did not finish its answer.')
    },
  }
}

import type { Chains, Hyperliquid } from '../chain/index.ts'
import type { Config } from '../config.ts'
import {
  callOf,
  createPaper,
  createPaperGate,
  createReader,
  type Gate,
  paperReader,
  pastVerdicts,
  type Reader,
  type Trading,
} from '../harness/index.ts'
import type { Address } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { DecisionPort, PolicyService, Principal, usdPrice } from '../policy/index.ts'
import { type EvmTx, isEvmTx, type ProposedTx } from '../schema/action.ts'
import { ValidationRequest } from '../schema/validation.ts'
import type { Storage } from '../storage/index.ts'
import type { Validator } from '../validation/index.ts'
import { perpsReader } from './perps.ts'
import { type Predictions, predictionReader } from './polymarket.ts'
import { priceRoom } from './price-room.ts'

type TradingParts = Readonly<{
  config: Config
  chains: Chains
  policy: DecisionPort
  principal: Principal
  gate: Gate
  prices: ReturnType<typeof usdPrice>
  storage: Storage
  venue: Hyperliquid
  predictions: Predictions
  validator: Validator
  /** The key that receipts of approvals are signed with. */
  publicKey: Hex
  /** Says how actions would be decided; missing where another process decides. */
  preview: PolicyService['preview'] | undefined
}>

/** Where the policy sets none. */
const DEFAULT_SLIPPAGE_BPS = 50

/** What the agents need to trade; nothing where no wallet or no node of its chain is configured. */
export function tradingOf(parts: TradingParts): Trading | undefined {
  const { config, chains, policy, principal, gate, prices, storage, validator, publicKey, preview } = parts
  const { wallet, chainId } = config
  const chain = chains.of(chainId)
  if (wallet === undefined || chain === undefined) return undefined
  // It only steers what is proposed: what cannot be read now is proposed by the defaults, and decided all the same.
  const allowed = async () => (await policy.readPolicy(wallet).catch(absent))?.policy
  const usdPriceOf: Reader['usdPrice'] = async ({ address }) => {
    const signal = AbortSignal.timeout(prices.timeoutMs)
    const { value } = await prices.ask({ chainId, assets: [address], addresses: [], signal })
    const price = value[address]
    return price ? Number(price.usdE8) / 1e8 : undefined
  }
  const real = createReader({
    chain,
    wallet,
    usdPrice: usdPriceOf,
    verdict: pastVerdicts(policy, principal),
    perps: perpsReader(parts.venue, wallet, allowed),
    predictions: predictionReader(parts.predictions, config, wallet, allowed),
    history: async (limit) => (await policy.listSubmissions(principal, { limit })).items,
    async limits() {
      const [record, outflow] = [await policy.readPolicy(wallet), await policy.outflow(wallet)]
      return { policy: record?.policy, version: record?.version, outflow }
    },
  })
  const { mode } = config
  const owner = { wallet, chainId, mode: 'dry-run' } as const
  const paper =
    mode === 'dry-run' && config.paper
      ? createPaper({ storage, owner, mode, reader: real, publicKey, ...config.paper })
      : undefined
  return {
    wallet,
    chainId,
    paper,
    rehearsal: preview && {
      preview: (actions) => preview(principal, { wallet, actions }),
      run: async (tx) => (isEvmTx(tx) ? chains.of(tx.chainId)?.simulate(callOf(tx, wallet)) : undefined),
    },
    checkIntent: (intent, txs) => checkIntent(validator, wallet, chainId, intent, txs),
    reader: paper ? paperReader({ reader: real, paper, chainId }) : real,
    policy,
    principal,
    gate: paper ? createPaperGate(gate, paper) : gate,
    slippageBps: async () => priceRoom((await allowed())?.slippage?.maxBps, DEFAULT_SLIPPAGE_BPS),
  }
}

function absent(thrown: unknown): undefined {
  if (!(thrown instanceof CountersignError)) throw thrown
}

/** A proposal's steps as a candidate of the validator. Semantic nodes are not asked: the model that proposes would judge itself. */
async function checkIntent(
  validator: Validator,
  from: Address,
  chainId: number,
  intent: string,
  txs: readonly ProposedTx[],
) {
  const steps = txs.map((tx) => (isEvmTx(tx) ? { to: tx.to, data: tx.data, value: tx.value } : orderStep(tx)))
  const request = ValidationRequest.parse({ human_intent: intent, proposed_tx: { chainId, from, transactions: steps } })
  const { decision, reason, primary_failure_node: node } = await validator.validate(request)
  return { matches: decision === 'PASS', reason, node }
}

function orderStep({ protocol, ...order }: Exclude<ProposedTx, EvmTx>) {
  return { protocol, order }
}

import type { Chains, Hyperliquid } from '../chain/index.ts'
import type { Config } from '../config.ts'
import { createReader, type Gate, pastVerdicts, type Reader, type Trading } from '../harness/index.ts'
import type { Address } from '../lib/address.ts'
import type { PolicyService, Principal, usdPrice } from '../policy/index.ts'
import { type EvmTx, isEvmTx, type ProposedTx } from '../schema/action.ts'
import { ValidationRequest } from '../schema/validation.ts'
import type { Storage } from '../storage/index.ts'
import type { Validator } from '../validation/index.ts'
import { perpsReader } from './perps.ts'

type TradingParts = Readonly<{
  config: Config
  chains: Chains
  policy: PolicyService
  principal: Principal
  gate: Gate
  prices: ReturnType<typeof usdPrice>
  storage: Storage
  venue: Hyperliquid
  validator: Validator
}>

const DAY_MS = 86_400_000

/** Half of what the policy allows is left to the price that the policy compares with. */
const SLIPPAGE_SHARE = 2
const DEFAULT_SLIPPAGE_BPS = 50

/** What the agents need to trade; nothing where no wallet or no node of its chain is configured. */
export function tradingOf({
  config,
  chains,
  policy,
  principal,
  gate,
  prices,
  storage,
  venue,
  validator,
}: TradingParts): Trading | undefined {
  const { wallet, chainId } = config
  const chain = chains.of(chainId)
  if (wallet === undefined || chain === undefined) return undefined
  const usdPriceOf: Reader['usdPrice'] = async ({ address }) => {
    const signal = AbortSignal.timeout(prices.timeoutMs)
    const { value } = await prices.ask({ chainId, assets: [address], addresses: [], signal })
    const price = value[address]
    return price ? Number(price.usdE8) / 1e8 : undefined
  }
  const reader = createReader({
    chain,
    wallet,
    usdPrice: usdPriceOf,
    verdict: pastVerdicts(policy, principal),
    perps: perpsReader(venue, wallet, policy),
    history: async (limit) => (await policy.listSubmissions(principal, { limit })).items,
    async limits() {
      const record = await policy.readPolicy(wallet)
      const outflow = await storage.stores.holds.outflowSince(wallet, (await storage.now()) - DAY_MS)
      return { policy: record?.policy, version: record?.version, outflow }
    },
  })
  return {
    wallet,
    chainId,
    checkIntent: (intent, txs) => checkIntent(validator, wallet, chainId, intent, txs),
    reader,
    policy,
    principal,
    gate,
    slippageBps: async () => {
      const maxBps = (await policy.readPolicy(wallet))?.policy.slippage?.maxBps
      return maxBps === undefined ? DEFAULT_SLIPPAGE_BPS : Math.floor(maxBps / SLIPPAGE_SHARE)
    },
  }
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

import { z } from 'zod'
import { type Address as AddressText, checksumAddress } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { contractAt, contractName, contractOf, type TokenInfo, wrappedNative } from '../../registry/index.ts'
import { Address } from '../../schema/primitives.ts'
import { amountText, parseAmount } from '../amount.ts'
import { SwapTerms, swapTerms, type Terms } from '../swap-terms.ts'
import { permit2Approval, quantity, tokenApproval } from '../token-calldata.ts'
import { defineActionTool, type NativeInfo, type Proposal, type ProposedStep, type ToolContext } from '../tool.ts'
import { encodeSwap, type NativeSide, type SwapPlan } from '../universal-router.ts'

/** Seconds until a proposed swap, and the right to spend that it needs, end. */
const LIFETIME_SECONDS = 600

const MAX_UINT160 = (1n << 160n) - 1n

const Input = z.strictObject({
  ...SwapTerms,
  recipient: Address.optional().describe('Who receives; the wallet itself by default.'),
  minimumOutput: z
    .string()
    .max(160)
    .optional()
    .describe('Smallest output to accept, as decimal text; by default the quote less the allowed slippage.'),
  via: Address.optional().describe("Contract to route through; the chain's Universal Router by default."),
})

/** Swaps through the Universal Router, with the approvals that are missing as earlier steps. */
export const swap = defineActionTool({
  name: 'swap',
  description:
    'Proposes a swap on Uniswap from the wallet. The policy decides it before anything is executed; approvals that are needed are proposed with it.',
  input: Input,
  async propose(args, context) {
    if (args.side === 'exact-out' && args.minimumOutput !== undefined)
      return refuse('minimumOutput: with exact-out the output is exact; leave it out.')
    const router = args.via ?? contractOf(context.chainId, 'uniswap-universal-router')
    if (!router) return refuse(`No Universal Router is known on chain ${context.chainId}.`)
    const terms = await swapTerms(args, context)
    if (!terms.ok) return terms
    const minimum =
      args.minimumOutput === undefined ? ok(terms.value.minimumOut) : parseAmount(args.minimumOutput, terms.value.buy)
    if (!minimum.ok) return minimum
    const plan = planOf({ ...terms.value, minimumOut: minimum.value }, { ...args, router }, context)
    if (!plan.ok) return plan
    const approvals = await approvalsFor(terms.value.sell, router, plan.value, context)
    if (!approvals.ok) return approvals
    return ok<Proposal>({ steps: [...approvals.value, swapStep(terms.value, plan.value, router, context)] })
  },
})

type Route = Readonly<{ router: AddressText; side: SwapPlan['side']; recipient?: AddressText | undefined }>

function planOf(terms: Terms, { router, side, recipient }: Route, context: ToolContext): Result<SwapPlan> {
  const sell = poolToken(terms.sell, context.chainId)
  const buy = poolToken(terms.buy, context.chainId)
  if (!sell || !buy) return refuse(`No wrapped coin is known on chain ${context.chainId}.`)
  if (terms.maximumIn > MAX_UINT160) return refuse('The amount is larger than Permit2 can move.')
  return ok({
    version: contractAt(context.chainId, router)?.version ?? '2.0',
    side,
    sell,
    buy,
    native: nativeSide(terms),
    pool: terms.quote.pool,
    fee: terms.quote.fee,
    amountIn: terms.maximumIn,
    amountOut: terms.minimumOut,
    recipient: recipient ?? context.wallet,
    wallet: context.wallet,
    deadline: seconds(context.now()) + LIFETIME_SECONDS,
  })
}

/** What the router may not take yet: first the token's approval of Permit2, then Permit2's of the router. */
async function approvalsFor(
  sell: TokenInfo | NativeInfo,
  router: AddressText,
  { amountIn, deadline }: SwapPlan,
  { chainId, reader }: ToolContext,
): Promise<Result<readonly ProposedStep[]>> {
  const { address: token } = sell
  if (token === 'native') return ok([])
  const permit2 = contractOf(chainId, 'permit2')
  if (!permit2) return refuse(`Permit2 is not known on chain ${chainId}.`)
  const [allowed, granted] = await Promise.all([
    reader.allowance(token, permit2),
    reader.permit2Allowance(token, router),
  ])
  const steps: ProposedStep[] = []
  // Some tokens refuse to change an allowance that is not zero.
  if (allowed > 0n && allowed < amountIn)
    steps.push({
      summary: `Reset the approval of ${sell.symbol} for Permit2`,
      tx: tokenApproval(chainId, token, permit2, 0n),
    })
  if (allowed < amountIn)
    steps.push({
      summary: `Approve ${amountText(amountIn, sell)} for Permit2`,
      tx: tokenApproval(chainId, token, permit2, amountIn),
    })
  const spender = contractAt(chainId, router)
  if (granted.amount < amountIn || granted.expiresAt < deadline)
    steps.push({
      summary: `Let ${spender ? contractName(spender) : checksumAddress(router)} take ${amountText(amountIn, sell)} through Permit2 for ${LIFETIME_SECONDS / 60} minutes`,
      tx: permit2Approval(chainId, permit2, { token, spender: router, amount: amountIn, expiresAt: deadline }),
    })
  return ok(steps)
}

function swapStep(terms: Terms, plan: SwapPlan, router: AddressText, { chainId, wallet }: ToolContext): ProposedStep {
  const paid = `${plan.side === 'exact-in' ? '' : 'at most '}${amountText(plan.amountIn, terms.sell)}`
  const received = `${plan.side === 'exact-in' ? 'at least ' : ''}${amountText(plan.amountOut, terms.buy)}`
  const to = plan.recipient === wallet ? '' : `, sent to ${checksumAddress(plan.recipient)}`
  return {
    summary: `Swap ${paid} for ${received}${to}`,
    tx: {
      protocol: 'uniswap',
      chainId,
      to: router,
      data: encodeSwap(plan),
      value: quantity(plan.native === 'sell' ? plan.amountIn : 0n),
    },
  }
}

function nativeSide({ sell, buy }: Terms): NativeSide {
  if (sell.address === 'native') return 'sell'
  return buy.address === 'native' ? 'buy' : 'none'
}

function poolToken(token: TokenInfo | NativeInfo, chainId: number): AddressText | undefined {
  return token.address === 'native' ? wrappedNative(chainId) : token.address
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}

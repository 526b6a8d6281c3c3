import { isAddress } from '../../../lib/address.ts'
import { formatUsd, toMicroUsd } from '../../../lib/usd.ts'
import { isNear, movementText, totalOf, unitsOf, worthOf } from '../../amounts.ts'
import { decimalsOf, type Effect, type Movement } from '../../effect.ts'
import { amountText, type IntendedAmount, type Intent } from '../../intent.ts'
import { defineEffectNode, type Finding, type NodeInput } from '../../node.ts'
import { matchSize, orderOf } from '../../order.ts'
import { arrivingAt, meantReceiver } from '../../receivers.ts'
import { matchName } from '../../token-names.ts'

/** How far an amount may be off, in basis points: none where it is exact. */
const ABOUT = 1_000n
const DOLLARS = 300n
const OF_BALANCE = 100n

/** The amount that moves is the one that was asked for, to the last unit where it was exact. */
export const amountMatching = defineEffectNode({
  id: 'intent_alignment.amount_matching',
  critical: true,
  after: ['intent_alignment.token_matching', 'legal_compliance.token_legitimacy'],
  async run(effect, input) {
    const { intent } = input
    if (intent.operation === 'revoke') return revoked(effect, intent)
    const order = orderOf(effect)
    if (order) return matchSize(order, intent)
    const moved = movedOf(effect, input)
    const short = notHandedOver(effect, input)
    if (short) return short
    const beyond = beyondMaximum(moved, effect, intent)
    if (beyond) return beyond
    if (intent.amount === null)
      return intent.maximumIn === null
        ? { fail: 'The request does not say how much.' }
        : { pass: `It takes no more than ${intent.maximumIn.value}.` }
    return compare(intent.amount, moved, effect, input)
  },
})

function revoked({ main }: Effect, { amount }: Intent): Finding {
  const isPart = amount !== null && amount.kind !== 'unlimited' && !/^([0.]+|all)$/.test(amountText(amount))
  if (isPart) return { fail: `It takes away the whole right to spend, and ${amountText(amount)} was asked for.` }
  const left = main.flatMap((leg) => leg.grants).find(({ amount }) => amount !== '0')
  return left ? { fail: 'It leaves a right to spend.' } : { pass: 'The right to spend is taken away.' }
}

/** What the amount of the request is to be compared with: what leaves, what arrives for whom it is meant, or what may be spent. */
function movedOf(effect: Effect, { intent, candidate }: NodeInput): readonly Movement[] {
  const { operation, amountSide, tokenOut } = intent
  if (operation === 'approve')
    return effect.main.flatMap((leg) =>
      leg.grants.map(({ asset, amount, owner }) => ({
        asset,
        amount: BigInt(amount),
        bound: 'max' as const,
        party: owner,
      })),
    )
  // What goes to others beside is a fee, and no part of what was bought.
  if (amountSide === 'out' && tokenOut !== null)
    return arrivingAt(effect, meantReceiver(intent, candidate)).filter(
      ({ asset }) => matchName(asset, tokenOut, effect) !== 'no',
    )
  return effect.spends
}

/** Where value is only handed over, as much must arrive as leaves. */
function notHandedOver(effect: Effect, { intent, candidate }: NodeInput): Finding | undefined {
  const arriving = arrivingAt(effect, meantReceiver(intent, candidate))
  if (!['transfer', 'wrap', 'unwrap'].includes(effect.operation ?? '') || effect.receives.length === 0) return undefined
  if (totalOf(arriving) === totalOf(effect.spends)) return undefined
  const [left, arrived] = [effect.spends, arriving].map((all) => all.map((one) => movementText(one, effect)))
  return { fail: `${left?.join(' and ')} would leave, and ${arrived?.join(' and ') || 'nothing'} would arrive.` }
}

function beyondMaximum(
  moved: readonly Movement[],
  effect: Effect,
  { maximumIn, operation }: Intent,
): Finding | undefined {
  if (maximumIn === null) return undefined
  const from = operation === 'approve' ? moved : effect.spends
  const total = totalOf(from)
  const asset = from[0]?.asset
  const decimals = asset === undefined ? undefined : decimalsOf(asset, effect)
  const most = decimals === undefined ? undefined : unitsOf(maximumIn.value, decimals)
  if (total !== null && most !== undefined && total <= most) return undefined
  return {
    fail: `At most ${maximumIn.value} may leave, and ${from.map((one) => movementText(one, effect)).join(' and ')} would.`,
  }
}

async function compare(
  intended: IntendedAmount,
  moved: readonly Movement[],
  effect: Effect,
  input: NodeInput,
): Promise<Finding> {
  const total = totalOf(moved)
  const [first] = moved
  if (first === undefined) return { fail: 'Nothing moves.' }
  const actual = movementText({ asset: first.asset, amount: total }, effect)
  const details = { intended: amountText(intended), actual }
  const wrong: Finding = { fail: `You said ${saidText(intended, input.intent)}, and it is ${actual}.`, details }
  const right: Finding = { pass: `It is ${actual}, as asked for.`, details }
  switch (intended.kind) {
    case 'unlimited':
      return effect.main.some((leg) => leg.grants.some(({ unlimited }) => unlimited)) ? right : wrong
    case 'usd':
      return inDollars(intended, moved, effect, { right, wrong })
    case 'share':
      return shareOfBalance(intended.percent, first, total, input, { right, wrong })
    case 'tokens': {
      // An unlimited right is the question of another node, which says more of it.
      if (effect.main.some((leg) => leg.grants.some(({ unlimited }) => unlimited)))
        return { skip: 'The right is unlimited.' }
      const decimals = decimalsOf(first.asset, effect)
      const units = decimals === undefined ? undefined : unitsOf(intended.value, decimals)
      if (units === undefined || total === null) return wrong
      if (intended.about) return isNear(total, units, ABOUT) ? { ...right, confidence: 0.9 } : wrong
      return total === units ? right : wrong
    }
  }
}

/** The amount as it was said, with its token: `100 USDC`, `50% of USDC`. */
function saidText(intended: IntendedAmount, { amountSide, tokenIn, tokenOut }: Intent): string {
  const token = amountSide === 'out' ? tokenOut : tokenIn
  const text = amountText(intended)
  if (token === null || isAddress(token)) return text
  return intended.kind === 'tokens' ? `${text} ${token}` : `${text} of ${token}`
}

type Answers = Readonly<{ right: Finding; wrong: Finding }>

function inDollars(
  { value, about }: Extract<IntendedAmount, { kind: 'usd' }>,
  moved: readonly Movement[],
  effect: Effect,
  { right, wrong }: Answers,
): Finding {
  if ('missing' in effect.prices) return { down: `Prices could not be read: ${effect.prices.missing}` }
  const worth = worthOf(moved, effect)
  if (worth === undefined) return { unable: 'What it is worth in US dollars is not known.' }
  const meant = toMicroUsd(Number(value))
  const near = isNear(worth, meant, about ? ABOUT : DOLLARS)
  return near
    ? { ...right, confidence: 0.9 }
    : { ...wrong, details: { intended: `$${value}`, actual: formatUsd(worth) } }
}

async function shareOfBalance(
  percent: number,
  { asset, party }: Movement,
  total: bigint | null,
  { surroundings, candidate, intent }: NodeInput,
  { right, wrong }: Answers,
): Promise<Finding> {
  if (total === null) return percent === 100 ? right : wrong
  if (intent.operation === 'withdraw' || intent.operation === 'repay' || party !== candidate.wallet)
    return { unable: 'How much there is at the venue is not known.' }
  const balance = await surroundings.balanceOf(candidate.chainId, candidate.wallet, asset)
  if (balance === undefined) return { unable: 'What the wallet holds is not known: no node of the chain is set.' }
  const meant = (balance * BigInt(Math.round(percent * 1e6))) / 100_000_000n
  // Of the chain's own coin something is kept for gas.
  const slack = asset === 'native' && percent === 100 ? 5n * OF_BALANCE : OF_BALANCE
  return total <= balance && isNear(total, meant, slack) ? { ...right, confidence: 0.9 } : wrong
}

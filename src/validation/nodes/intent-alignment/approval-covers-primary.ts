import { toAddress } from '../../../lib/address.ts'
import { contractAt, contractOf } from '../../../registry/index.ts'
import type { DecodedLeg } from '../../../schema/decoded-action.ts'
import { movementText, totalOf } from '../../amounts.ts'
import type { Effect } from '../../effect.ts'
import { spendersOf } from '../../intent/conditions.ts'
import type { Intent } from '../../intent.ts'
import { defineEffectNode, type Finding } from '../../node.ts'

type Grant = DecodedLeg['grants'][number]

/** How much more than what is spent an approval may be, in basis points. */
const MORE = 1_000n
const FULL = 10_000n
/** `increaseAllowance(address,uint256)`. */
const INCREASE = '0x39509351'

/** The rights to spend that are given are for the right contract, for enough, and for no more than was asked for. */
export const approvalCoversPrimary = defineEffectNode({
  id: 'intent_alignment.approval_covers_primary',
  after: ['intent_alignment.operation_matching'],
  run(effect, input) {
    const given = effect.grants.flatMap((leg) => leg.grants).filter(({ amount }) => amount !== '0')
    const controls = effect.grants.flatMap((leg) => leg.controls ?? []).filter(({ granted }) => granted)
    const [control] = controls
    if (control) return { fail: `${control.operator} would control the whole account, which was not asked for.` }
    if (input.intent.operation === 'revoke') return taken(effect, input.intent)
    if (given.length === 0) return { skip: 'It gives no right to spend.' }
    const unlimited = given.find((grant) => grant.unlimited)
    if (unlimited && input.intent.amount?.kind !== 'unlimited')
      return {
        fail: `${unlimited.spender} could spend without limit, which was not asked for.`,
        details: { spender: unlimited.spender },
      }
    if (input.intent.operation !== 'approve') return before(given, effect)
    // Of the same token and spender the last one holds, and none of them is their sum.
    if (given.length > 1) return { fail: 'It gives several rights to spend.' }
    if (adds(effect)) return { fail: 'It adds to the right to spend that there is, whatever that is.' }
    return alone(given, effect, input.intent)
  },
})

function adds({ inspection: { selector, calls = [] } }: Effect): boolean {
  return [selector, ...calls.map((call) => call.selector)].includes(INCREASE)
}

/** A right that is taken away: it is that of whoever was named. Without a name any is as good as another. */
function taken(effect: Effect, intent: Intent): Finding {
  const grants = effect.grants.flatMap((leg) => leg.grants)
  if (intent.recipient === null && intent.venue === null)
    return { pass: 'It takes a right to spend away.', confidence: 0.7 }
  return alone(grants, effect, intent)
}

/** An approval that is all that was asked for: its spender is the one that was named. */
function alone(given: readonly Grant[], effect: Effect, { recipient, venue }: Intent): Finding {
  const { chainId } = effect.inspection
  const meant = recipient !== null && 'address' in recipient ? [recipient.address] : []
  const isOfVenue = (spender: string) =>
    venue === null ||
    spendersOf(venue, chainId).includes(spender) ||
    contractAt(chainId, toAddress(spender))?.venue === venue
  // Where both are said, it is the venue's contract at that address.
  const named = (spender: string) =>
    (recipient === null ? venue !== null : meant.includes(toAddress(spender))) && isOfVenue(spender)
  const wrong = given.find(({ spender }) => !named(spender))
  if (wrong === undefined) return { pass: 'The spender is the one that was named.' }
  if (recipient === null && venue === null)
    return {
      fail: `The request does not say who may spend; ${wrong.spender} could.`,
      details: { spender: wrong.spender },
    }
  return {
    fail: `${wrong.spender} was not named as the one who may spend.`,
    details: { spender: wrong.spender, intended: [...meant] },
  }
}

/** An approval before something else: for the contract that is called, of what it takes. */
function before(given: readonly Grant[], effect: Effect): Finding {
  const { chainId, target } = effect.inspection
  const callees = calledOf(effect)
  const permit2 = contractOf(chainId, 'permit2')
  for (const grant of given) {
    const { asset, spender, amount } = grant
    const spent = effect.spends.filter((one) => one.asset === asset)
    if (!callees.includes(spender) && spender !== permit2)
      return { fail: `${spender} could spend, and the transaction goes to ${target}.`, details: { spender } }
    if (spent.length === 0)
      return { fail: `It lets ${spender} spend what is not spent here.`, details: { token: asset } }
    const needed = totalOf(spent)
    if (needed === null) continue
    const text = {
      approved: movementText({ asset, amount: BigInt(amount) }, effect),
      needed: movementText({ asset, amount: needed }, effect),
    }
    if (BigInt(amount) < needed)
      return { fail: `The approval of ${text.approved} does not cover ${text.needed}.`, details: text }
    if (BigInt(amount) * FULL > needed * (FULL + MORE))
      return { fail: `The approval of ${text.approved} is for more than ${text.needed}.`, details: text }
  }
  return { pass: 'The approval covers what is spent, and no more.' }
}

/** The contracts that do what was asked for: the one that is called, or those that a batch calls. */
function calledOf({ inspection: { chainId, target, calls }, main }: Effect): readonly string[] {
  if (calls === undefined) return target === null ? [] : [target]
  const venues = new Set(main.map(({ protocol }) => protocol))
  return calls.map((call) => call.target).filter((called) => venues.has(contractAt(chainId, called)?.venue ?? ''))
}

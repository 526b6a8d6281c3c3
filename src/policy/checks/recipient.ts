import { spenderAt } from '../../registry/index.ts'
import { defineLegCheck } from '../check.ts'
import { partyText } from '../describe.ts'

/**
 * Value may only go to the wallet itself or a listed recipient, and only they or a known venue contract may be
 * allowed to spend. Always on for what moves value.
 */
export const recipient = defineLegCheck({
  id: 'recipient',
  field: 'recipients.allow',
  run(leg, { action, policy }) {
    const { positions = [], controls = [], order } = leg
    if (leg.receives.length + leg.grants.length + positions.length + controls.length === 0 && !order)
      return { notChecked: 'It sends nothing to anybody.' }
    const allowed = new Set([action.wallet, ...(policy.recipients?.allow ?? [])])
    const stranger = leg.receives.find(({ party }) => !allowed.has(party))
    if (stranger)
      return {
        failed: 'recipient_not_allowed',
        reason: `${partyText(action, stranger.party)} would receive value and is neither the wallet nor on the recipient list.`,
      }
    const account = positions.find(({ party }) => !allowed.has(party))
    if (account)
      return {
        failed: 'recipient_not_allowed',
        reason: `The account of ${partyText(action, account.party)} would change, who is neither the wallet nor on the recipient list.`,
      }
    if (order && !allowed.has(order.account))
      return {
        failed: 'recipient_not_allowed',
        reason: `The account of ${partyText(action, order.account)} would trade, who is neither the wallet nor on the recipient list.`,
      }
    if (order && order.feeTo !== null && !allowed.has(order.feeTo))
      return {
        failed: 'recipient_not_allowed',
        reason: `${partyText(action, order.feeTo)} would get a fee of the order and is not on the recipient list.`,
      }
    const operator = controls.find(({ granted, operator }) => granted && !allowed.has(operator))
    if (operator)
      return {
        failed: 'recipient_not_allowed',
        reason: `${partyText(action, operator.operator)} would control the wallet's account and is not on the recipient list.`,
      }
    const spender = leg.grants.find(
      (g) => g.amount > 0n && !allowed.has(g.spender) && !spenderAt(action.chainId, g.spender),
    )
    if (spender)
      return {
        failed: 'recipient_not_allowed',
        reason: `${partyText(action, spender.spender)} would be allowed to spend and is neither a known venue contract nor on the recipient list.`,
      }
    return { passed: 'Everybody who receives or may spend is allowed.' }
  },
})

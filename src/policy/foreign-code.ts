import type { Address } from '../lib/address.ts'
import { tokenAt } from '../registry/index.ts'
import type { Asset } from './decoded-action.ts'
import type { Step } from './router-step.ts'

/** Whose plan it is, and where its tokens are looked up. */
type Where = Readonly<{ chainId: number; wallet: Address; router: Address; wrapped: Address }>

/** Whether a token is listed, and so taken to do what tokens do. Any other may run whatever code it likes when it is moved. */
export function isVouchedFor(token: Address, { chainId, wrapped }: Pick<Where, 'chainId' | 'wrapped'>): boolean {
  return token === wrapped || tokenAt(chainId, token) !== undefined
}

/** Whether a step gives a turn to code that nobody vouches for: a token's, or that of somebody who is paid native coin. */
export function runsForeignCode(step: Step, where: Where): boolean {
  switch (step.step) {
    case 'collect':
      return !isVouchedFor(step.asset, where)
    case 'swap':
      return ![step.sells.asset, ...step.middle, step.buys.asset].every((token) => isVouchedFor(token, where))
    case 'pay':
    case 'share':
      return isForeign(step.asset, step.to, where)
    case 'settle':
      return step.asset !== 'native' && isForeign(step.asset, where.router, where)
    case 'take':
    case 'take-share':
      return isForeign(step.asset, step.to, where)
    case 'unwrap':
      return isForeign('native', step.to, where) || (step.fee !== undefined && isForeign('native', step.fee.to, where))
    case 'book-sale':
    case 'book-purchase':
      return step.hooks.length > 0
    case 'attempt':
      return step.steps.some((inner) => runsForeignCode(inner, where))
    case 'grant':
      return !step.leg.grants.every(({ asset }) => isVouchedFor(asset, where))
    case 'wrap':
    case 'require':
    case 'expire':
    case 'touch':
    case 'close-books':
      return false
  }
}

/** Whether a step pays native coin to the wrapped coin's contract, which gives it back to the router in that form. */
export function paysIntoWrapped(step: Step, { wrapped }: Pick<Where, 'wrapped'>): boolean {
  if (step.step === 'unwrap') return step.to === wrapped || step.fee?.to === wrapped
  const pays = step.step === 'pay' || step.step === 'share' || step.step === 'take' || step.step === 'take-share'
  return pays && step.asset === 'native' && step.to === wrapped
}

function isForeign(asset: Asset, to: Address, where: Where): boolean {
  if (asset !== 'native') return !isVouchedFor(asset, where)
  return to !== where.wallet && to !== where.router
}

import type { Address } from '../../../lib/address.ts'
import { ok, type Result, refuse } from '../../../lib/result.ts'
import { address, array, uint } from '../../calldata.ts'
import { deadlineOf } from '../../deadline.ts'
import type { Asset, Flow } from '../../decoded-action.ts'
import { tokenRoute } from '../../uniswap-path.ts'
import { INTO_WRAPPED, type Outcome, payable, type RouterCall, type RouterFunction, unpayable } from './router-call.ts'

/** An amount and what the chain enforces of it. */
type Limit = Pick<Flow, 'amount' | 'bound'>

type Swap = Readonly<{ path: readonly Address[]; to: Address; deadline: bigint; paid: Limit; bought: Limit }>
/** Which end of the path stands for the chain's own coin. */
type Native = 'sold' | 'bought' | 'neither'

function swap(native: Native, { path, to, deadline, paid, bought }: Swap, call: RouterCall): Result<Outcome> {
  const route = tokenRoute(path)
  if (!route.ok) return route
  const { sells, middle, buys } = route.value
  const { wallet, wrapped } = call
  if (native === 'sold' && sells !== wrapped) return refuse('its path must begin at the wrapped coin')
  if (native === 'bought' && buys !== wrapped) return refuse('its path must end at the wrapped coin')
  if (native === 'bought' && to === wrapped) return refuse(INTO_WRAPPED)
  if (paid.amount === 0n) return refuse('it sells nothing')
  if (bought.amount === 0n && bought.bound === 'exact') return refuse('it buys nothing')
  const asset: Asset = native === 'sold' ? 'native' : sells
  return ok({
    legs: [
      {
        kind: 'swap',
        venue: 'uniswap',
        spends: [{ asset, ...paid, party: wallet }],
        receives: [{ asset: native === 'bought' ? 'native' : buys, ...bought, party: to }],
        grants: [],
        deadline: deadlineOf(deadline),
      },
    ],
    touches: [...new Set(middle)],
  })
}

const exactly = (amount: bigint): Limit => ({ amount, bound: 'exact' })
const atMost = (amount: bigint): Limit => ({ amount, bound: 'max' })
const atLeast = (amount: bigint): Limit => ({ amount, bound: 'min' })

/** Two amounts, or one where the other is the call's value; then path, receiver, deadline. */
const amounts = [uint(256), uint(256), array(address), address, uint(256)] as const
const amountOnly = [uint(256), array(address), address, uint(256)] as const

function sale(name: string, native: 'bought' | 'neither'): RouterFunction {
  return unpayable(name, amounts, ([amount, min, path, to, deadline], call) =>
    swap(native, { path, to, deadline, paid: exactly(amount), bought: atLeast(min) }, call),
  )
}

function saleOfNative(name: string): RouterFunction {
  return payable(name, amountOnly, ([min, path, to, deadline], call) =>
    swap('sold', { path, to, deadline, paid: exactly(call.value), bought: atLeast(min) }, call),
  )
}

function purchase(name: string, native: 'bought' | 'neither'): RouterFunction {
  return unpayable(name, amounts, ([amount, max, path, to, deadline], call) =>
    swap(native, { path, to, deadline, paid: atMost(max), bought: exactly(amount) }, call),
  )
}

/**
 * The swaps. Pools pay out the very amounts that the router worked out, or fail; those for tokens that take a fee measure
 * what arrives. Either way the output is enforced, whatever the tokens on the way do. What a purchase for native coin
 * leaves over goes back to the sender. Source: v2-periphery, UniswapV2Router02.
 */
export const swapFunctions: readonly RouterFunction[] = [
  sale('swapExactTokensForTokens', 'neither'),
  sale('swapExactTokensForETH', 'bought'),
  sale('swapExactTokensForTokensSupportingFeeOnTransferTokens', 'neither'),
  sale('swapExactTokensForETHSupportingFeeOnTransferTokens', 'bought'),
  saleOfNative('swapExactETHForTokens'),
  saleOfNative('swapExactETHForTokensSupportingFeeOnTransferTokens'),
  purchase('swapTokensForExactTokens', 'neither'),
  purchase('swapTokensForExactETH', 'bought'),
  payable('swapETHForExactTokens', amountOnly, ([amount, path, to, deadline], call) =>
    swap('sold', { path, to, deadline, paid: atMost(call.value), bought: exactly(amount) }, call),
  ),
]

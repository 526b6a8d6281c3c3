import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { HYPER_EVM } from '../../registry/index.ts'
import type { VenueAction } from '../../schema/action.ts'
import type { DecodedAction, Leg, VenueOrder } from '../decoded-action.ts'
import {
  type HyperliquidRequest,
  type L1Action,
  readHyperliquid,
  type UserAction,
  type WireOrder,
} from '../hyperliquid-action.ts'
import {
  cancelLeg,
  controlLeg,
  HYPERLIQUID,
  marginLeg,
  orderLeg,
  tokenLeg,
  tokenNamed,
  unitsOf,
  usdBackLeg,
  usdLeg,
  usdOf,
} from '../hyperliquid-legs.ts'
import { digestOfRequest } from '../hyperliquid-signing.ts'
import { configureLeg } from '../token-authorizations.ts'
import { defineTypedDecoder } from '../typed-decoder.ts'

/** Who the action is of, for which account, and until which Unix second. */
type Context = Readonly<{ wallet: Address; account: Address; until: number | null }>
type Legs = Result<readonly Leg[]>

/** Actions of Hyperliquid: orders, their cancelling, leverage, transfers, and who may act for the account. */
export const hyperliquid = defineTypedDecoder({
  protocol: HYPERLIQUID,
  decode(action, wallet) {
    if (action.chainId !== HYPER_EVM) return refuse(`Hyperliquid is known as chain ${HYPER_EVM} only.`)
    const request = readHyperliquid(action as VenueAction)
    if (!request.ok) return refuse(`Hyperliquid: ${request.reason}.`)
    const legs = legsOf(request.value, wallet)
    if (!legs.ok) return refuse(`Hyperliquid: ${legs.reason}.`)
    const [first, ...rest] = legs.value
    if (first === undefined) return refuse('Hyperliquid: the action does nothing.')
    const ids = legs.value.flatMap(({ order }) => order?.cloid ?? [])
    // The venue is asked about an order by its own id: two with one id would both end with the first of them.
    if (new Set(ids).size < ids.length) return refuse('Hyperliquid: two orders have the same "c".')
    return ok<DecodedAction>({
      protocol: HYPERLIQUID,
      chainId: HYPER_EVM,
      wallet,
      target: null,
      selector: null,
      legs: [first, ...rest],
      touches: touchesOf(legs.value),
      digest: digestOfRequest(request.value),
      trailingBytes: 0,
    })
  },
})

function legsOf(request: HyperliquidRequest, wallet: Address): Legs {
  if (request.signedAs === 'user') return userLegs(request.action, wallet)
  const { action, vaultAddress, expiresAfter } = request
  const until = expiresAfter === null ? null : Math.floor(expiresAfter / 1000)
  return agentLegs(action, { wallet, account: vaultAddress ?? wallet, until })
}

function agentLegs(action: L1Action, context: Context): Legs {
  const { wallet, account, until } = context
  switch (action.type) {
    case 'order': {
      const feeTo = action.builder && action.builder.f > 0 ? action.builder.b : null
      return ok(action.orders.map((order) => orderLeg(orderOf(order, account, feeTo), until)))
    }
    // A changed order counts as a new one, and takes the old one back: it may be larger, and on the other side.
    case 'modify':
      return ok([orderLeg(orderOf(action.order, account, null), until), cancelLeg(until)])
    case 'batchModify':
      return ok([
        ...action.modifies.map(({ order }) => orderLeg(orderOf(order, account, null), until)),
        cancelLeg(until),
      ])
    case 'cancel':
    case 'cancelByCloid':
    case 'scheduleCancel':
    case 'twapCancel':
      return ok([cancelLeg(until)])
    case 'twapOrder': {
      const { a, b, s, r } = action.twap
      const unbound = { price: null, trigger: null, timeInForce: 'twap', cloid: null, account, feeTo: null }
      return ok([orderLeg({ market: String(a), side: b ? 'buy' : 'sell', size: s, reduceOnly: r, ...unbound }, until)])
    }
    case 'updateLeverage': {
      const { asset, leverage, isCross } = action
      const change = { market: String(asset), leverage, margin: isCross ? 'cross' : 'isolated' } as const
      return ok([{ ...configureLeg(HYPERLIQUID, until), leverage: change }])
    }
    case 'updateIsolatedMargin':
      if (action.ntli < 0) return refuse('margin taken out of a position raises its leverage by what no byte says')
      return ok([configureLeg(HYPERLIQUID, until)])
    case 'vaultTransfer':
      return moved(action.vaultAddress, action.isDeposit, BigInt(action.usd), context)
    case 'subAccountTransfer':
      return moved(action.subAccountUser, action.isDeposit, BigInt(action.usd), context)
    case 'subAccountSpotTransfer': {
      if (account !== wallet) return refuse('a transfer of another account is not decoded')
      const { token, amount, subAccountUser, isDeposit } = action
      return isDeposit ? sent(token, amount, wallet, subAccountUser) : sent(token, amount, subAccountUser, wallet)
    }
  }
}

/** Dollars into an account that is not the wallet's own, or back out of it. */
function moved(other: Address, isDeposit: boolean, usd: bigint, { wallet, account }: Context): Legs {
  if (account !== wallet) return refuse('a transfer of another account is not decoded')
  return ok([isDeposit ? usdLeg(wallet, other, usd) : usdBackLeg(wallet, usd)])
}

function userLegs(action: UserAction, wallet: Address): Legs {
  switch (action.type) {
    case 'usdSend':
    case 'withdraw3':
      return ok([usdLeg(wallet, action.destination, usdOf(action.amount))])
    case 'spotSend':
      return sent(action.token, action.amount, wallet, action.destination)
    case 'sendAsset': {
      const legs = sent(action.token, action.amount, wallet, action.destination)
      if (!legs.ok || action.sourceDex !== '') return legs
      return ok(legs.value.map((leg) => ({ ...leg, margin: -usdOf(action.amount) })))
    }
    case 'usdClassTransfer':
      return ok([marginLeg(action.toPerp ? usdOf(action.amount) : -usdOf(action.amount))])
    case 'approveAgent':
      return ok([controlLeg(wallet, action.agentAddress, true)])
    case 'approveBuilderFee':
      return ok([controlLeg(wallet, action.builder, /[1-9]/.test(action.maxFeeRate))])
  }
}

function sent(name: string, amount: string, from: Address, to: Address): Legs {
  const token = tokenNamed(name)
  if (!token.ok) return token
  const leg = tokenLeg(token.value, from, to, unitsOf(amount, token.value.weiDecimals))
  return leg.ok ? ok([leg.value]) : leg
}

function orderOf({ a, b, p, s, r, t, c }: WireOrder, account: Address, feeTo: Address | null): VenueOrder {
  const order = { market: String(a), side: b ? 'buy' : 'sell', size: s, reduceOnly: r, cloid: c ?? null } as const
  if ('limit' in t) return { ...order, price: p, trigger: null, timeInForce: t.limit.tif, account, feeTo }
  const { isMarket, triggerPx, tpsl } = t.trigger
  // A market order is filled at whatever the price is when it is triggered: the venue does not hold it to `p`.
  return { ...order, price: isMarket ? null : p, trigger: triggerPx, timeInForce: tpsl, account, feeTo }
}

function touchesOf(legs: readonly Leg[]): readonly Address[] {
  const orders = legs.flatMap(({ order }) => order ?? [])
  return [...new Set(orders.flatMap(({ account, feeTo }) => (feeTo === null ? [account] : [account, feeTo])))]
}

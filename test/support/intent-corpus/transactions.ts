// The transactions of the corpus, as bytes that the venues' contracts take.
import type { Address, Hex } from 'viem'
import {
  erc20Approve,
  erc20Transfer,
  nativeTransfer,
  srExactInputSingle,
  srExactOutputSingle,
  srMulticallDeadline,
  swapRouter02,
  universalRouter,
  urPortion,
  urSweep,
  urV3In,
  wethDeposit,
  wethWithdraw,
} from '../encode.ts'
import { poolCall } from '../encode-lending.ts'
import { type CorpusToken, uniswap } from './world.ts'

/** One transaction of a candidate. */
export type Tx = Readonly<{ to: string; data: string; value: string }>

type Encoded = Readonly<{ to: Address; data: Hex; value: Hex }>

function plain({ to, data, value }: Encoded): Tx {
  return { to: to.toLowerCase(), data, value }
}

function addressOf({ address, symbol }: CorpusToken): Address {
  if (address === 'native') throw new Error(`${symbol} has no contract`)
  return address
}

export type Trade = Readonly<{
  sell: CorpusToken
  buy: CorpusToken
  amountIn: bigint
  amountOut: bigint
  recipient: Address
  deadline: bigint
  exact: 'in' | 'out'
}>

/** A trade through SwapRouter02, with its deadline in the batch. */
export function routerTrade({ sell, buy, amountIn, amountOut, recipient, deadline, exact }: Trade): Tx {
  const pool = { tokenIn: addressOf(sell), tokenOut: addressOf(buy), fee: 3_000, recipient, limit: 0n }
  const call =
    exact === 'in'
      ? srExactInputSingle({ ...pool, amountIn, min: amountOut })
      : srExactOutputSingle({ ...pool, amountOut, max: amountIn })
  return plain(swapRouter02(srMulticallDeadline({ deadline, calls: [call] })))
}

/** A trade through the Universal Router; a share of what comes may go to somebody else first. */
export function universalTrade(trade: Trade, fee?: Readonly<{ to: Address; bips: bigint }>): Tx {
  const { sell, buy, amountIn, amountOut, recipient, deadline } = trade
  const route = { tokens: [addressOf(sell), addressOf(buy)], fees: [500] }
  const router = '0x0000000000000000000000000000000000000002'
  const swap = (to: Address, min: bigint) =>
    urV3In({ version: '2.0', walletPays: true, ...route, recipient: to, amountIn, min })
  const commands =
    fee === undefined
      ? [swap(recipient, amountOut)]
      : [
          swap(router, amountOut),
          urPortion({ token: addressOf(buy), to: fee.to, bips: fee.bips }),
          urSweep({ token: addressOf(buy), to: recipient, min: (amountOut * (10_000n - fee.bips)) / 10_000n }),
        ]
  return plain(universalRouter({ version: '2.0', commands, deadline }))
}

export function transferTx(token: CorpusToken, to: Address, amount: bigint): Tx {
  return plain(
    token.address === 'native' ? nativeTransfer({ to, amount }) : erc20Transfer({ token: token.address, to, amount }),
  )
}

export function approveTx(token: CorpusToken, spender: Address, amount: bigint): Tx {
  return plain(erc20Approve({ token: addressOf(token), spender, amount }))
}

export function wrapTx(amount: bigint): Tx {
  return plain(wethDeposit({ amount }))
}

export function unwrapTx(amount: bigint): Tx {
  return plain(wethWithdraw({ amount }))
}

/** A call of Aave's pool. */
export function aaveTx(functionName: 'supply' | 'withdraw' | 'borrow' | 'repay', args: readonly unknown[]): Tx {
  return plain(poolCall(functionName, args))
}

export const SWAP_ROUTER = uniswap.swapRouter02.toLowerCase() as Address

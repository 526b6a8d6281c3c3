// Pairs of what a person asks and a transaction that does it, and what can be wrong with such a pair.
import {
  APPROVE,
  amountText,
  BORROW,
  BUY,
  REPAY,
  REVOKE,
  SELL,
  SEND,
  SUPPLY,
  say,
  UNWRAP,
  WITHDRAW,
  WRAP,
} from './phrasings.ts'
import type { Random } from './random.ts'
import {
  aaveTx,
  approveTx,
  routerTrade,
  SWAP_ROUTER,
  type Trade,
  type Tx,
  transferTx,
  universalTrade,
  unwrapTx,
  wrapTx,
} from './transactions.ts'
import { type CorpusToken, ETH, NOW_SECONDS, PERMIT2, RESERVES, TOKENS, WALLET, WETH } from './world.ts'

/** What is asked and what is proposed, before anything is broken. `rebuild` proposes the same with parts changed. */
export type Pair = Readonly<{
  operation: 'swap' | 'transfer' | 'approve' | 'revoke' | 'wrap' | 'unwrap' | 'supply' | 'withdraw' | 'borrow' | 'repay'
  intent: string
  from: `0x${string}`
  chainId: number
  parts: Parts
  build(parts: Parts): readonly Tx[]
}>

/** What a transaction is made of; each part can be made wrong. Amounts in smallest units. */
export type Parts = Readonly<{
  token: CorpusToken
  buy?: CorpusToken
  amount: bigint
  minimum?: bigint
  recipient: `0x${string}`
  spender?: `0x${string}`
  deadline: bigint
  approval?: bigint
  fee?: Readonly<{ to: `0x${string}`; bips: bigint }>
  exact?: 'in' | 'out'
}>

const AMOUNTS: readonly [number, ...number[]] = [
  1, 2, 5, 10, 12.5, 20, 50, 75, 100, 250, 333, 500, 1_000, 1_500, 2_000, 4_200, 10_000,
]
const SMALL: readonly [number, ...number[]] = [0.01, 0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 3]
const MAX = (1n << 256n) - 1n

export function unitsOf(value: number, { decimals }: CorpusToken): bigint {
  const [whole = '0', fraction = ''] = value.toString().split('.')
  return BigInt(whole + fraction.padEnd(decimals, '0').slice(0, decimals))
}

function valueFor(random: Random, { price }: CorpusToken): number {
  return random.pick(price >= 100 ? SMALL : AMOUNTS)
}

function strangerOf(random: Random): `0x${string}` {
  const digits = Array.from({ length: 40 }, () => '0123456789abcdef'[random.int(0, 15)])
  return `0x${digits.join('')}`
}

function otherThan(random: Random, list: readonly [CorpusToken, ...CorpusToken[]], not: CorpusToken): CorpusToken {
  for (;;) {
    const one = random.pick(list)
    if (one.symbol !== not.symbol) return one
  }
}

/** So much of `buy` as `amount` of `sell` is worth, less some basis points. */
export function worth(sell: CorpusToken, amount: bigint, buy: CorpusToken, lessBps: bigint): bigint {
  const e6 = (price: number) => BigInt(Math.round(price * 1e6))
  const value = (amount * e6(sell.price) * 10n ** BigInt(buy.decimals)) / (e6(buy.price) * 10n ** BigInt(sell.decimals))
  return (value * (10_000n - lessBps)) / 10_000n
}

const base = { from: WALLET, chainId: 1 } as const

function condition(random: Random, bps: number, minutes: number): string {
  const parts = [
    random.pick([
      '',
      '',
      ` with ${bps / 100}% slippage`,
      `, max slippage ${bps} bps`,
      ` at most ${bps / 100} percent slippage`,
    ]),
    random.pick([
      '',
      '',
      ` within ${minutes} minutes`,
      `, valid for ${minutes} min`,
      ` in the next ${minutes} minutes`,
    ]),
    random.pick(['', '', '', ' on Uniswap', ' via uniswap']),
    random.pick(['', '', '', ' on Ethereum', ' on mainnet']),
  ]
  return parts.join('')
}

function swapPair(random: Random): Pair {
  const token = random.pick(TOKENS)
  const buy = otherThan(random, TOKENS, token)
  const minutes = random.pick([5, 10, 20, 30])
  const bps = random.pick([50, 100, 200])
  const exact = random.chance(0.2) ? 'out' : 'in'
  const deadline = NOW_SECONDS + BigInt(minutes * 60 - 30)
  const build = ({ approval, fee, ...p }: Parts): readonly Tx[] => {
    const trade: Trade = {
      sell: p.token,
      buy: p.buy ?? buy,
      amountIn: p.amount,
      amountOut: p.minimum ?? 0n,
      recipient: p.recipient,
      deadline: p.deadline,
      exact: p.exact ?? 'in',
    }
    const swap = fee ? universalTrade(trade, fee) : random2(trade) ? routerTrade(trade) : universalTrade(trade)
    return approval === undefined
      ? [swap]
      : [approveTx(p.token, p.spender ?? SWAP_ROUTER, approval), routerTrade(trade)]
  }
  // The router is chosen by the trade itself, so that what is rebuilt goes through the same one.
  const random2 = ({ amountIn, exact: way }: Trade) => way === 'out' || amountIn % 3n !== 0n
  const tail = condition(random, bps, minutes)
  if (exact === 'out') {
    const value = valueFor(random, buy)
    const amountOut = unitsOf(value, buy)
    const amount = (worth(buy, amountOut, token, 0n) * 1_004n) / 1_000n
    const intent = say(random, BUY, { o: `${amountText(random, value)} ${buy.symbol}`, in: token.symbol })
    return {
      ...base,
      operation: 'swap',
      intent: `${intent}${tail}`,
      parts: { token, buy, amount, minimum: amountOut, recipient: WALLET, deadline, exact },
      build,
    }
  }
  const value = valueFor(random, token)
  const amount = unitsOf(value, token)
  const slots = { a: `${amountText(random, value)} ${token.symbol}`, out: buy.symbol }
  const minimum = worth(token, amount, buy, BigInt(random.int(5, bps - 10)))
  const approval = random.chance(0.25) ? { approval: amount } : {}
  return {
    ...base,
    operation: 'swap',
    intent: `${say(random, SELL, slots)}${tail}`,
    parts: { token, buy, amount, minimum, recipient: WALLET, deadline, exact, ...approval },
    build,
  }
}

function sendPair(random: Random): Pair {
  const token = random.chance(0.25) ? ETH : random.pick(TOKENS)
  const recipient = strangerOf(random)
  const value = valueFor(random, token)
  const intent = say(random, SEND, { a: `${amountText(random, value)} ${token.symbol}`, to: recipient })
  const parts = { token, amount: unitsOf(value, token), recipient, deadline: 0n }
  return { ...base, operation: 'transfer', intent, parts, build: (p) => [transferTx(p.token, p.recipient, p.amount)] }
}

function approvePair(random: Random): Pair {
  const token = random.pick(TOKENS)
  const [spender, name] = random.pick<readonly [`0x${string}`, string]>([
    [PERMIT2, 'Permit2'],
    [SWAP_ROUTER, 'Uniswap'],
    [SWAP_ROUTER, SWAP_ROUTER as string],
  ])
  const value = valueFor(random, token)
  const intent = say(random, APPROVE, { a: `${amountText(random, value)} ${token.symbol}`, spender: name })
  const parts = { token, amount: unitsOf(value, token), recipient: WALLET, spender, deadline: 0n }
  return {
    ...base,
    operation: 'approve',
    intent,
    parts,
    build: (p) => [approveTx(p.token, p.spender ?? spender, p.amount)],
  }
}

function revokePair(random: Random): Pair {
  const token = random.pick(TOKENS)
  const intent = say(random, REVOKE, { in: token.symbol, spender: 'Permit2' })
  const parts = { token, amount: 0n, recipient: WALLET, spender: PERMIT2, deadline: 0n } as const
  return {
    ...base,
    operation: 'revoke',
    intent,
    parts,
    build: (p) => [approveTx(p.token, p.spender ?? PERMIT2, p.amount)],
  }
}

function wrapPair(random: Random): Pair {
  const value = random.pick(SMALL)
  const parts = { token: ETH, amount: unitsOf(value, ETH), recipient: WALLET, deadline: 0n } as const
  if (random.chance(0.5)) {
    const intent = say(random, WRAP, { a: `${amountText(random, value)} ETH` })
    return { ...base, operation: 'wrap', intent, parts, build: (p) => [wrapTx(p.amount)] }
  }
  const intent = say(random, UNWRAP, { a: `${amountText(random, value)} WETH` })
  return { ...base, operation: 'unwrap', intent, parts: { ...parts, token: WETH }, build: (p) => [unwrapTx(p.amount)] }
}

function aavePair(random: Random): Pair {
  const token = random.pick(RESERVES)
  const value = valueFor(random, token)
  const operation = random.pick(['supply', 'withdraw', 'borrow', 'repay'] as const)
  const phrases = { supply: SUPPLY, withdraw: WITHDRAW, borrow: BORROW, repay: REPAY }[operation]
  const all = random.chance(0.15) && operation === 'withdraw'
  const a = all
    ? random.pick([`all my ${token.symbol}`, `all of my ${token.symbol}`])
    : `${amountText(random, value)} ${token.symbol}`
  const amount = all ? MAX : unitsOf(value, token)
  const build = ({ token: t, amount: units, recipient }: Parts): readonly Tx[] => {
    const asset = t.address
    switch (operation) {
      case 'supply':
        return [aaveTx('supply', [asset, units, recipient, 0])]
      case 'withdraw':
        return [aaveTx('withdraw', [asset, units, recipient])]
      case 'borrow':
        return [aaveTx('borrow', [asset, units, 2n, 0, recipient])]
      case 'repay':
        return [aaveTx('repay', [asset, units, 2n, recipient])]
    }
  }
  const parts = { token, amount, recipient: WALLET, deadline: 0n } as const
  return { ...base, operation, intent: say(random, phrases, { a }), parts, build }
}

/** A pair in which the transaction does what is asked. */
export function alignedPair(random: Random): Pair {
  const roll = random.next()
  if (roll < 0.45) return swapPair(random)
  if (roll < 0.62) return sendPair(random)
  if (roll < 0.74) return approvePair(random)
  if (roll < 0.78) return revokePair(random)
  if (roll < 0.85) return wrapPair(random)
  return aavePair(random)
}

/** Somebody whom nobody named. */
export function stranger(random: Random): `0x${string}` {
  return strangerOf(random)
}

/** Another token of the same kind, worth about the same in all. */
export function otherToken(random: Random, not: CorpusToken, and?: CorpusToken): CorpusToken {
  for (;;) {
    const one = random.pick(TOKENS)
    if (one.symbol !== not.symbol && one.symbol !== and?.symbol) return one
  }
}

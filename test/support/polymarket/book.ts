// Markets of the stand-in, their levels, and what becomes of orders. All amounts are whole millionths.

/** A price and the shares that stand at it. */
export type Level = { price: number; shares: number }

/** An outcome: one token, with its own book. */
export type StandInOutcome = { name: string; id: string; bids: Level[]; asks: Level[] }

/** A market of the stand-in. `fee` is the rate and exponent that its takers pay. */
export type StandInMarket = {
  slug: string
  question: string
  condition: string
  negRisk: boolean
  tick: string
  minSize: string
  fee: { r: number; e: number }
  accepting: boolean
  outcomes: readonly StandInOutcome[]
}

/** An order that was taken. */
export type StandInOrder = {
  hash: string
  maker: string
  owner: string
  token: string
  side: 'BUY' | 'SELL'
  price: number
  dollars: number
  shares: number
  matched: number
  type: string
  expiration: number
  status: 'LIVE' | 'MATCHED' | 'CANCELED' | 'INVALID'
}

/** What an account has: dollars, and shares by token. */
export type StandInAccount = { dollars: number; shares: Map<string, number> }

const UNIT = 1_000_000

/** A market of two outcomes that trade at a price and at the rest of a dollar. */
export function binaryMarket(
  given: Partial<StandInMarket> & Readonly<{ slug: string; tokens: readonly [string, string]; mid?: number }>,
): StandInMarket {
  const { slug, tokens, mid = 0.5, ...rest } = given
  const tick = rest.tick ?? '0.01'
  const step = Number(tick)
  const around = (price: number) => ({
    bids: [
      { price: Math.round((price - step) * UNIT) / UNIT, shares: 500 * UNIT },
      { price: Math.round((price - 2 * step) * UNIT) / UNIT, shares: 1_000 * UNIT },
    ],
    asks: [
      { price: Math.round((price + step) * UNIT) / UNIT, shares: 500 * UNIT },
      { price: Math.round((price + 2 * step) * UNIT) / UNIT, shares: 1_000 * UNIT },
    ],
  })
  return {
    question: `${slug.replaceAll('-', ' ')}?`,
    condition: `0x${Buffer.from(slug).toString('hex').padEnd(64, '0').slice(0, 64)}`,
    negRisk: false,
    minSize: '5',
    fee: { r: 0, e: 0 },
    accepting: true,
    ...rest,
    slug,
    tick,
    outcomes: [
      { name: 'Yes', id: tokens[0], ...around(mid) },
      { name: 'No', id: tokens[1], ...around(1 - mid) },
    ],
  }
}

/** Orders and accounts over some markets. */
export function createBook(markets: readonly StandInMarket[], settings: Readonly<{ fillShare: number }>) {
  const orders = new Map<string, StandInOrder>()
  const accounts = new Map<string, StandInAccount>()
  const accountOf = (user: string): StandInAccount => {
    const found = accounts.get(user) ?? { dollars: 0, shares: new Map<string, number>() }
    accounts.set(user, found)
    return found
  }
  const outcomeOf = (token: string) => markets.flatMap(({ outcomes }) => outcomes).find(({ id }) => id === token)
  const marketOf = (token: string) => markets.find(({ outcomes }) => outcomes.some(({ id }) => id === token))

  /** Moves dollars and shares of one fill, and the taker's fee. */
  function fill(order: StandInOrder, shares: number, price: number, taker: boolean): void {
    const account = accountOf(order.maker)
    const market = marketOf(order.token)
    const { r, e } = market?.fee ?? { r: 0, e: 0 }
    const fee = taker ? shares * r * (price * (1 - price)) ** e : 0
    const sign = order.side === 'BUY' ? 1 : -1
    account.dollars -= sign * shares * price + fee
    account.shares.set(order.token, (account.shares.get(order.token) ?? 0) + sign * shares)
    order.matched += shares
    if (order.matched >= order.shares - 100) order.status = 'MATCHED'
  }

  return {
    orders,
    accountOf,
    outcomeOf,
    marketOf,
    /** Why an account could not pay an order with all that it has open. */
    cannotPay(order: StandInOrder): boolean {
      const open = [...orders.values()].filter((one) => one.maker === order.maker && one.status === 'LIVE')
      const account = accountOf(order.maker)
      if (order.side === 'BUY') {
        const held = open.reduce((sum, one) => sum + (one.side === 'BUY' ? one.dollars : 0), 0)
        return account.dollars < held + order.dollars
      }
      const held = open.reduce(
        (sum, one) => sum + (one.token === order.token && one.side === 'SELL' ? one.shares : 0),
        0,
      )
      return (account.shares.get(order.token) ?? 0) < held + order.shares
    },
    /** Shares that an order would find at its limit or better. */
    available({ token, side, price }: StandInOrder): number {
      const outcome = outcomeOf(token)
      const levels = side === 'BUY' ? (outcome?.asks ?? []) : (outcome?.bids ?? [])
      const within = levels.filter((level) => (side === 'BUY' ? level.price <= price : level.price >= price))
      return within.reduce((sum, { shares }) => sum + shares, 0) * settings.fillShare
    },
    /** Matches what it can against the levels, the best first. */
    match(order: StandInOrder): void {
      orders.set(order.hash, order)
      const outcome = outcomeOf(order.token)
      const levels = order.side === 'BUY' ? (outcome?.asks ?? []) : (outcome?.bids ?? [])
      const best = [...levels].sort((a, b) => (order.side === 'BUY' ? a.price - b.price : b.price - a.price))
      for (const level of best) {
        const within = order.side === 'BUY' ? level.price <= order.price : level.price >= order.price
        const shares = Math.min(order.shares - order.matched, level.shares * settings.fillShare)
        if (!within || shares <= 0 || order.status === 'MATCHED') continue
        level.shares -= shares
        fill(order, shares, level.price, true)
      }
    },
    /** Somebody takes of an order that stands; all of it by default. */
    fillResting(hash: string, shares?: number): void {
      const order = orders.get(hash)
      if (order?.status === 'LIVE')
        fill(order, Math.min(shares ?? order.shares, order.shares - order.matched), order.price, false)
    },
    /** Ends an order that stands. Whether it did. */
    cancel(hash: string, status: 'CANCELED' | 'INVALID' = 'CANCELED'): boolean {
      const order = orders.get(hash)
      if (order?.status !== 'LIVE') return false
      order.status = status
      return true
    },
  }
}

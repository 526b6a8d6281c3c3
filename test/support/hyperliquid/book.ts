// The matching of the stand-in: one price a market, against which orders fill, rest, or are refused as the venue does.

/** A market of the stand-in. Its mark is both bid and ask. */
export type StandInMarket = { name: string; szDecimals: number; maxLeverage: number; mark: number }

/** Markets by their numbers: the venue's own, and those of the one builder's dex. */
export type StandInMarkets = Readonly<{ own: readonly StandInMarket[]; built: readonly StandInMarket[] }>

/** Number of the first market of the builder's dex, which is dex 1. */
export const FIRST_BUILT = 110_000

/** The market of a number. */
export function marketAt({ own, built }: StandInMarkets, asset: number): StandInMarket | undefined {
  return asset >= FIRST_BUILT ? built[asset - FIRST_BUILT] : own[asset]
}

/** An order as the stand-in keeps it. */
export type StandInOrder = {
  oid: number
  user: string
  asset: number
  isBuy: boolean
  price: number
  size: number
  left: number
  reduceOnly: boolean
  cloid: string | null
  status: string
}

/** An account of the stand-in. Positions and leverage by market. */
export type StandInAccount = {
  usd: number
  positions: Map<number, { size: number; entry: number }>
  leverage: Map<number, number>
}

/** An order on the wire, as far as it is matched. */
export type Wire = Readonly<{
  a: number
  b: boolean
  p: string
  s: string
  r: boolean
  c?: string
  t: { limit?: { tif: string } }
}>

const LEAST_NOTIONAL = 10
const DEFAULT_LEVERAGE = 20

/** What the venue says of an order: it rests, it was filled, or why not. */
export type Status = Readonly<{ resting: { oid: number } }> | Readonly<{ filled: object }> | Readonly<{ error: string }>

/** A book over some markets and accounts. `fillShare` is how much of an order is filled at once. */
export function createBook(
  all: StandInMarkets,
  settings: { fillShare: number },
  changed: (order: StandInOrder) => void = () => undefined,
) {
  const markets = { at: (asset: number) => marketAt(all, asset) }
  const orders: StandInOrder[] = []
  const accounts = new Map<string, StandInAccount>()

  function accountOf(user: string): StandInAccount {
    const found = accounts.get(user) ?? { usd: 0, positions: new Map(), leverage: new Map() }
    accounts.set(user, found)
    return found
  }

  function equityOf(user: string): number {
    const { usd, positions } = accountOf(user)
    return [...positions].reduce(
      (sum, [asset, { size, entry }]) => sum + size * ((markets.at(asset)?.mark ?? 0) - entry),
      usd,
    )
  }

  function notionalOf(user: string): number {
    return [...accountOf(user).positions].reduce(
      (sum, [asset, { size }]) => sum + Math.abs(size) * (markets.at(asset)?.mark ?? 0),
      0,
    )
  }

  function fill(order: StandInOrder, size: number): void {
    const mark = markets.at(order.asset)?.mark ?? 0
    const { positions } = accountOf(order.user)
    const before = positions.get(order.asset) ?? { size: 0, entry: mark }
    const after = before.size + (order.isBuy ? size : -size)
    const account = accountOf(order.user)
    // What was won or lost so far goes to the balance, and the position begins anew at the mark.
    account.usd += before.size * (mark - before.entry)
    positions.set(order.asset, { size: Number(after.toFixed(8)), entry: mark })
    if (Math.abs(after) < 1e-9) positions.delete(order.asset)
    order.left = Number((order.left - size).toFixed(8))
    if (order.left <= 0) order.status = 'filled'
  }

  function problemOf(user: string, { a, b, p, s, r }: Wire): string | undefined {
    const market = markets.at(a)
    if (market === undefined) return `Asset ${a} does not exist.`
    const [price, size] = [Number(p), Number(s)]
    if ((s.split('.')[1]?.length ?? 0) > market.szDecimals) return 'Order has invalid size.'
    const significant = p.replace('.', '').replace(/^0+/, '').length
    const decimals = p.split('.')[1]?.length ?? 0
    if ((p.includes('.') && significant > 5) || decimals > 6 - market.szDecimals) return 'Order has invalid price.'
    if (!r && price * size < LEAST_NOTIONAL) return `Order must have minimum value of $10. asset=${a}`
    const position = accountOf(user).positions.get(a)?.size ?? 0
    if (r && (b ? position >= 0 : position <= 0)) return `Reduce only order would increase position. asset=${a}`
    const leverage = accountOf(user).leverage.get(a) ?? DEFAULT_LEVERAGE
    if (!r && notionalOf(user) + price * size > equityOf(user) * leverage)
      return `Insufficient margin to place order. asset=${a}`
    return undefined
  }

  return {
    orders,
    accountOf,
    equityOf,
    notionalOf,
    leverageOf: (user: string, asset: number) => accountOf(user).leverage.get(asset) ?? DEFAULT_LEVERAGE,
    place(user: string, wire: Wire): Status {
      const problem = problemOf(user, wire)
      if (problem !== undefined) return { error: problem }
      const size = Number(wire.s)
      const order: StandInOrder = {
        oid: 1_000 + orders.length,
        user,
        asset: wire.a,
        isBuy: wire.b,
        price: Number(wire.p),
        size,
        left: size,
        reduceOnly: wire.r,
        cloid: wire.c ?? null,
        status: 'open',
      }
      const mark = markets.at(wire.a)?.mark ?? 0
      const crosses = wire.b ? order.price >= mark : order.price <= mark
      const tif = wire.t.limit?.tif ?? 'Gtc'
      if (!crosses && tif === 'Ioc')
        return { error: `Order could not immediately match against any resting orders. asset=${wire.a}` }
      if (crosses && tif === 'Alo') return { error: 'Post only order would have immediately matched.' }
      orders.push(order)
      if (!crosses || wire.t.limit === undefined) {
        changed(order)
        return { resting: { oid: order.oid } }
      }
      fill(order, settings.fillShare >= 1 ? size : Number((size * settings.fillShare).toFixed(8)))
      if (order.status === 'open' && tif === 'Ioc') order.status = 'canceled'
      changed(order)
      if (order.left === size) return { resting: { oid: order.oid } }
      return { filled: { totalSz: String(size - order.left), avgPx: String(mark), oid: order.oid } }
    },
    cancel(user: string, cloid: string): 'success' | Readonly<{ error: string }> {
      const order = orders.find((one) => one.user === user && one.cloid === cloid && one.status === 'open')
      if (order === undefined) return { error: 'Order was never placed, already canceled, or filled. asset=0' }
      order.status = 'canceled'
      changed(order)
      return 'success'
    },
    /** Fills what rests of an order, or a part of it. */
    fillResting(cloid: string, size?: number): void {
      const order = orders.find((one) => one.cloid === cloid && one.status === 'open')
      if (order === undefined) return
      fill(order, Math.min(size ?? order.left, order.left))
      changed(order)
    },
  }
}

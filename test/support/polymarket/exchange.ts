// A stand-in for Polymarket: it recomputes order hashes and recovers signers with an independent library, checks the API
// key's signature of each request, matches orders against a book, and refuses as the venue does. It can be told to be
// silent, to lose an answer, or to lie.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { binaryMarket, createBook, type StandInMarket, type StandInOrder } from './book.ts'
import { type Answer, createListing, ok, refused, UNIT } from './listing.ts'
import { authSigner, domainOf, orderHash, signerOf, type WireOrder } from './signatures.ts'

/** What the stand-in does in place of answering. */
export type Fault = 'silent' | 'lose the answer' | 'refuse' | 'garbage' | 'lie'

type Body = Readonly<{ order: WireOrder; owner: string; orderType: string; deferExec?: boolean }>
type ApiKey = Readonly<{ address: string; apiKey: string; secret: string; passphrase: string }>

const EXCHANGES = {
  standard: domainOf('0xE111180000d2663C0091e4f400237545B87B996B', '2'),
  negRisk: domainOf('0xe2222d279d744050d28e00520010520000310F59', '2'),
  v3: domainOf('0xe3333700cA9d93003F00f0F71f8515005F6c00Aa', '3'),
}

/** Tokens of the markets that there are by default: of an exchange of version 2, of neg-risk, and of version 3. */
export const TOKENS = {
  rain: [
    '71321045679252212594626385532706912750332728571942532289631379312455583992563',
    '52114319501245915516055106046884209969926127482827954674443846427813813222426',
  ],
  election: [
    '21742633143463906290569050155826241533067272736897614950488156847949938836455',
    '48331043336612883890938759509493159234755048973500640148014422747788308965732',
  ],
  launch: [
    BigInt(`0x01${'ab'.repeat(16)}0001${'00'.repeat(8)}00890001${'00'}`).toString(),
    BigInt(`0x01${'ab'.repeat(16)}0001${'00'.repeat(8)}00890001${'01'}`).toString(),
  ],
} as const

/** A running stand-in. */
export type StandInExchange = Awaited<ReturnType<typeof startExchange>>

/** Starts the stand-in on a port of its own. */
export async function startExchange(given?: readonly StandInMarket[]) {
  const markets = given ?? [
    binaryMarket({ slug: 'will-it-rain', tokens: TOKENS.rain, mid: 0.52 }),
    binaryMarket({
      slug: 'who-wins',
      tokens: TOKENS.election,
      mid: 0.3,
      negRisk: true,
      tick: '0.001',
      fee: { r: 0.04, e: 1 },
    }),
    binaryMarket({ slug: 'will-it-launch', tokens: TOKENS.launch, mid: 0.7, tick: '0.0025' }),
  ]
  const settings = { fillShare: 1, prefix: 'ORDER_STATUS_' }
  const book = createBook(markets, settings)
  const { publicAnswer } = createListing(markets, book)
  const keys = new Map<string, ApiKey>()
  /** Owners of contracts that orders can be for. */
  const owners = new Map<string, string>()
  const accepted: Body[] = []
  /** Changes what is answered at a path. */
  const twist: { of?: ((path: string, body: unknown) => unknown) | undefined } = {}
  const faults: { info?: Fault | undefined; exchange?: Fault | undefined } = {}

  const server = createServer((request, response) => {
    void (async () => {
      const url = new URL(request.url ?? '/', 'http://stand-in')
      const body = await textOf(request)
      const trades = request.method !== 'GET' && url.pathname.startsWith('/order')
      const fault = trades ? faults.exchange : faults.info
      if (trades) faults.exchange = undefined
      if (fault === 'silent') return
      const answer = await faultyAnswer(fault, trades, () => answerOf(request, url, body))
      const said = twist.of?.(url.pathname, answer.body) ?? answer.body
      if (fault === 'lose the answer') return void request.socket.destroy()
      response.writeHead(answer.status, { 'content-type': 'application/json' })
      response.end(fault === 'garbage' ? '<html>' : JSON.stringify(said))
    })().catch(() => request.socket.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  async function answerOf(request: IncomingMessage, url: URL, body: string): Promise<Answer> {
    const { pathname } = url
    const open = publicAnswer(pathname, url.searchParams)
    if (open !== undefined) return open
    if (pathname.startsWith('/auth/')) return keyAnswer(request, pathname)
    const key = await keyOf(request, pathname, body)
    if (key === undefined) return refused('Unauthorized/Invalid api key', 401)
    if (pathname === '/order' && request.method === 'POST') return take(JSON.parse(body) as Body, key)
    if (pathname === '/orders' && request.method === 'DELETE') return cancel(JSON.parse(body) as string[], key)
    if (pathname.startsWith('/data/order/')) return orderAnswer(pathname.slice('/data/order/'.length), key)
    if (pathname === '/data/orders') return openAnswer(key)
    return refused('Not found', 404)
  }

  function keyAnswer(request: IncomingMessage, path: string): Answer {
    const header = headersOf(request)
    const [address, timestamp] = [header('address'), header('timestamp')]
    const recent = Math.abs(Date.now() / 1000 - Number(timestamp)) < 60
    if (!recent || authSigner(address, timestamp, header('nonce'), header('signature')) !== address.toLowerCase())
      return refused('Invalid L1 Request headers', 401)
    const known = [...keys.values()].find((key) => key.address === address.toLowerCase())
    if (path === '/auth/derive-api-key') return known ? ok(known) : refused('Could not derive api key!')
    const made = {
      address: address.toLowerCase(),
      apiKey: crypto.randomUUID(),
      secret: Buffer.from(crypto.randomUUID()).toString('base64url'),
      passphrase: crypto.randomUUID(),
    }
    keys.set(made.apiKey, made)
    return ok(made)
  }

  async function keyOf(request: IncomingMessage, path: string, body: string): Promise<ApiKey | undefined> {
    const header = headersOf(request)
    const key = keys.get(header('api_key'))
    if (key?.passphrase !== header('passphrase') || key.address !== header('address').toLowerCase()) return undefined
    const secret = Buffer.from(key.secret, 'base64url')
    const hmac = await crypto.subtle.importKey('raw', secret, { name: 'HMAC', hash: 'SHA-256' }, false, ['sign'])
    const message = `${header('timestamp')}${request.method}${path}${body}`
    const expected = Buffer.from(await crypto.subtle.sign('HMAC', hmac, Buffer.from(message))).toString('base64')
    return expected.replaceAll('+', '-').replaceAll('/', '_') === header('signature') ? key : undefined
  }

  function take(body: Body, key: ApiKey): Answer {
    const { order: wire, orderType } = body
    const market = book.marketOf(wire.tokenId)
    if (body.owner !== key.apiKey) return refused('the order owner has to be the owner of the API KEY')
    if (market === undefined) return refused('Invalid order payload')
    const domain = wire.tokenId === TOKENS.launch[0] || wire.tokenId === TOKENS.launch[1] ? EXCHANGES.v3 : undefined
    const exchange = domain ?? (market.negRisk ? EXCHANGES.negRisk : EXCHANGES.standard)
    if (signerOf(wire, exchange) !== key.address || !mayTrade(wire, key.address)) return refused('invalid signature')
    const hash = orderHash(wire, exchange)
    if (book.orders.has(hash)) return refused(`order ${hash} is invalid. Duplicated.`)
    const order = orderFrom(wire, hash, orderType, key)
    const problem = problemWith(order, wire, market)
    if (problem !== undefined) return refused(problem)
    accepted.push(body)
    book.match(order)
    if (order.matched > 0 && (orderType === 'FAK' || orderType === 'FOK')) order.status = 'MATCHED'
    const status = order.matched > 0 ? 'matched' : 'live'
    return ok({ success: true, errorMsg: '', orderID: hash, status, takingAmount: '', makingAmount: '' })
  }

  function mayTrade({ maker, signer, signatureType }: WireOrder, key: string): boolean {
    const [account, signs] = [maker.toLowerCase(), signer.toLowerCase()]
    if (signatureType === 0) return account === key && signs === key
    if (signatureType === 3) return account === signs && owners.get(account) === key
    return signs === key && owners.get(account) === key
  }

  function problemWith(order: StandInOrder, wire: WireOrder, market: StandInMarket): string | undefined {
    const tick = Number(market.tick)
    const steps = order.price / tick
    const atOnce = order.type === 'FOK' || order.type === 'FAK'
    if (!market.accepting) return 'the market is not yet ready to process new orders'
    if (order.price < tick || order.price > 1 - tick || Math.abs(steps - Math.round(steps)) > (atOnce ? 0.01 : 1e-9))
      return `order ${order.hash} is invalid. Price breaks minimum tick size rule: ${market.tick}`
    const decimals = (market.tick.split('.')[1] ?? '').length + 2
    if (Number(wire.takerAmount) % 10 ** (6 - decimals) !== 0 || (atOnce && Number(wire.makerAmount) % 10_000 !== 0))
      return 'invalid amounts, the market buy orders maker amount supports a max accuracy of 2 decimals'
    if (!atOnce && order.shares < Number(market.minSize) * UNIT)
      return `order ${order.hash} is invalid. Size (${order.shares / UNIT}) lower than the minimum: ${market.minSize}`
    if (order.type === 'GTD' ? order.expiration < Date.now() / 1000 + 60 : order.expiration !== 0)
      return `order ${order.hash} is invalid. invalid expiration`
    if (book.cannotPay(order)) return 'not enough balance / allowance'
    if (order.type === 'FOK' && book.available(order) < order.shares)
      return "order couldn't be fully filled. FOK orders are fully filled or killed."
    if (order.type === 'FAK' && book.available(order) <= 0)
      return 'no orders found to match with FAK order. FAK orders are partially filled or killed if no match is found.'
    return undefined
  }

  function cancel(ids: readonly string[], key: ApiKey): Answer {
    const done = ids.map((id) => ({ id, ended: book.orders.get(id)?.owner === key.address && book.cancel(id) }))
    const left = done.flatMap(({ id, ended }) => (ended ? [] : [[id, 'order already canceled or matched'] as const]))
    return ok({
      canceled: done.flatMap(({ id, ended }) => (ended ? [id] : [])),
      not_canceled: Object.fromEntries(left),
    })
  }

  function orderAnswer(id: string, key: ApiKey): Answer {
    const order = book.orders.get(id)
    if (order === undefined || order.owner !== key.address) return refused('order not found', 404)
    return ok(shown(order))
  }

  function openAnswer(key: ApiKey): Answer {
    const open = [...book.orders.values()].filter(({ owner, status }) => owner === key.address && status === 'LIVE')
    return ok({ data: open.map(shown), next_cursor: 'LTE=', limit: 100, count: open.length })
  }

  function shown({ hash, maker, token, side, price, shares, matched, status, type, expiration }: StandInOrder) {
    return {
      id: hash,
      status: `${settings.prefix}${status}`,
      owner: 'an owner',
      maker_address: maker,
      market: book.marketOf(token)?.condition,
      asset_id: token,
      side,
      original_size: String(shares / UNIT),
      size_matched: String(matched / UNIT),
      price: String(price),
      outcome: book.outcomeOf(token)?.name,
      expiration: String(expiration),
      order_type: type,
      associate_trades: [],
      created_at: Math.floor(Date.now() / 1000),
    }
  }

  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    book,
    markets,
    settings,
    owners,
    keys,
    /** Orders that were taken, as they arrived. */
    accepted,
    /** What goes wrong: with reads until it is unset, with the next order or cancel once. */
    faults,
    twist,
    fund(user: string, dollars: number) {
      book.accountOf(user.toLowerCase()).dollars += dollars * UNIT
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function orderFrom(wire: WireOrder, hash: string, type: string, key: ApiKey): StandInOrder {
  const [given, taken] = [Number(wire.makerAmount), Number(wire.takerAmount)]
  const [dollars, shares] = wire.side === 'BUY' ? [given, taken] : [taken, given]
  return {
    hash,
    maker: wire.maker.toLowerCase(),
    owner: key.address,
    token: wire.tokenId,
    side: wire.side,
    price: dollars / shares,
    dollars,
    shares,
    matched: 0,
    type,
    expiration: Number(wire.expiration),
    status: 'LIVE',
  }
}

/** A lie about an order is that it was taken, under another id; of all else what matters is another's. */
async function faultyAnswer(fault: Fault | undefined, trades: boolean, answer: () => Promise<Answer>): Promise<Answer> {
  if (fault === 'refuse') return refused('Trading is currently disabled.', 503)
  if (fault !== 'lie') return answer()
  if (trades) return ok({ success: true, errorMsg: '', orderID: `0x${'f'.repeat(64)}`, status: 'matched' })
  const { status, body } = await answer()
  const other = { neg_risk: true, condition_id: `0x${'f'.repeat(64)}` }
  return { status, body: typeof body === 'object' ? { ...body, ...other } : body }
}

function headersOf(request: IncomingMessage): (name: string) => string {
  return (name) => String(request.headers[`poly_${name}`] ?? '')
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

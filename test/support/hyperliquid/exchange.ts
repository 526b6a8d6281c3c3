// A stand-in for Hyperliquid: it recomputes what was signed with an independent library, recovers the signer, and fills
// orders against its own prices. It can be told to be silent, to lose an answer, or to lie.
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import * as kit from '@nktkas/hyperliquid/api/exchange'
import { createL1ActionHash } from '@nktkas/hyperliquid/signing'
import { type Hex, recoverTypedDataAddress } from 'viem'
import { createBook, FIRST_BUILT, marketAt, type StandInMarket, type Wire } from './book.ts'
import { orderUpdates } from './order-updates.ts'

/** What the stand-in does beside answering. */
export type Fault = 'silent' | 'lose the answer' | 'refuse' | 'garbage'

type Body = Readonly<{
  action: Readonly<{ type: string } & Record<string, unknown>>
  nonce: number
  signature: Readonly<{ r: Hex; s: Hex; v: number }>
  vaultAddress?: Hex | null
  expiresAfter?: number | null
}>

/** Name of the dex of a builder. */
export const DEX = 'xyz'
const NOWHERE = '0x0000000000000000000000000000000000000000'
const USER_TYPES: Readonly<Record<string, Readonly<Record<string, readonly { name: string; type: string }[]>>>> = {
  usdSend: kit.UsdSendTypes,
  spotSend: kit.SpotSendTypes,
  withdraw3: kit.Withdraw3Types,
  usdClassTransfer: kit.UsdClassTransferTypes,
  approveAgent: kit.ApproveAgentTypes,
}

/** A running stand-in. */
export type StandInExchange = Awaited<ReturnType<typeof startExchange>>

/** Starts the stand-in on a port of its own. Markets are BTC, ETH and HYPE unless others are given. */
export async function startExchange(given?: readonly StandInMarket[]) {
  const markets: StandInMarket[] = [
    ...(given ?? [
      { name: 'BTC', szDecimals: 5, maxLeverage: 40, mark: 60_000 },
      { name: 'ETH', szDecimals: 4, maxLeverage: 25, mark: 3_000 },
      { name: 'HYPE', szDecimals: 2, maxLeverage: 10, mark: 40 },
    ]),
  ]
  /** A dex of a builder. */
  const built: StandInMarket[] = [{ name: `${DEX}:GOLD`, szDecimals: 3, maxLeverage: 20, mark: 4_000 }]
  const settings = { fillShare: 1, collateralToken: 0 }
  const at = (asset: number) => marketAt({ own: markets, built }, asset)
  const book = createBook({ own: markets, built }, settings, (order) => updates.tell(order))
  const nonces = new Set<string>()
  const accepted: Body[] = []
  const asked: string[] = []
  const faults: { info?: Fault | undefined; exchange?: Fault | undefined } = {}

  const server = createServer((request, response) => {
    void (async () => {
      const isInfo = request.url === '/info'
      const fault = isInfo ? faults.info : faults.exchange
      if (!isInfo) faults.exchange = undefined
      if (fault === 'silent') return
      const body: unknown = JSON.parse(await textOf(request))
      const refused = fault === 'refuse' ? { status: 'err', response: 'The exchange is in post only mode.' } : undefined
      const answer = isInfo
        ? infoAnswer(body as Record<string, unknown>)
        : (refused ?? (await exchangeAnswer(body as Body)))
      if (fault === 'lose the answer') return void request.socket.destroy()
      response.setHeader('content-type', 'application/json')
      response.end(fault === 'garbage' ? '<html>' : JSON.stringify(answer))
    })().catch(() => request.socket.destroy())
  })
  const updates = orderUpdates(server, (asset) => at(asset)?.name)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  async function exchangeAnswer(body: Body): Promise<object> {
    const signer = (await signerOf(body)).toLowerCase()
    if (!accounts().has(signer)) return { status: 'err', response: `User or API Wallet ${signer} does not exist.` }
    const key = `${signer}:${body.nonce}`
    if (nonces.has(key)) return { status: 'err', response: 'Invalid nonce: duplicate nonce' }
    if (Math.abs(Date.now() - body.nonce) > 86_400_000) return { status: 'err', response: 'Invalid nonce: too far' }
    if (body.expiresAfter && body.expiresAfter < Date.now()) return { status: 'err', response: 'Action expired' }
    nonces.add(key)
    accepted.push(body)
    const user = body.vaultAddress ?? signer
    const { action } = body
    const done = (statuses?: readonly unknown[]) => ({
      status: 'ok',
      response: { type: action.type, ...(statuses && { data: { statuses } }) },
    })
    switch (action.type) {
      case 'order':
        return done((action['orders'] as readonly Wire[]).map((wire) => book.place(user, wire)))
      case 'cancelByCloid':
        return done((action['cancels'] as readonly { cloid: string }[]).map(({ cloid }) => book.cancel(user, cloid)))
      case 'updateLeverage': {
        const [asset, leverage] = [Number(action['asset']), Number(action['leverage'])]
        if (leverage > (at(asset)?.maxLeverage ?? 0)) return { status: 'err', response: 'Invalid leverage value' }
        book.accountOf(user).leverage.set(asset, leverage)
        return done()
      }
      case 'usdSend':
      case 'withdraw3':
        book.accountOf(user).usd -= Number(action['amount'])
        return done()
      default:
        return { status: 'err', response: `Unknown action ${action.type}` }
    }
  }

  const assetOf = (coin: string) => {
    const own = markets.findIndex(({ name }) => name === coin)
    return own >= 0 ? own : FIRST_BUILT + built.findIndex(({ name }) => name === coin)
  }

  /** As the venue's page on liquidations has it, of an account whose positions are all cross. */
  function liquidationOf(user: string, asset: number, size: number): string | null {
    const needed = ([of, { size: held }]: readonly [number, { size: number }]) =>
      (Math.abs(held) * (at(of)?.mark ?? 0)) / (2 * (at(of)?.maxLeverage ?? 1))
    const available =
      book.equityOf(user) - [...book.accountOf(user).positions].reduce((sum, one) => sum + needed(one), 0)
    const side = Math.sign(size)
    const price =
      (at(asset)?.mark ?? 0) - (side * available) / Math.abs(size) / (1 - side / (2 * (at(asset)?.maxLeverage ?? 1)))
    return price > 0 ? String(Number(price.toFixed(4))) : null
  }

  const funded = new Set<string>()
  const accounts = () => funded

  function infoAnswer(body: Record<string, unknown>): unknown {
    const user = typeof body['user'] === 'string' ? body['user'].toLowerCase() : ''
    const ofDex = (asset: number) => at(asset)?.name.startsWith(`${DEX}:`) === (body['dex'] === DEX)
    asked.push(String(body['type']))
    switch (body['type']) {
      case 'perpDexs':
        return [null, { name: DEX, fullName: 'A dex of a builder', deployer: NOWHERE }]
      case 'metaAndAssetCtxs': {
        const there = body['dex'] === DEX ? built : markets
        return [
          {
            universe: there.map(({ name, szDecimals, maxLeverage }) => ({ name, szDecimals, maxLeverage })),
            collateralToken: body['dex'] === DEX ? settings.collateralToken : 0,
          },
          there.map(({ mark }) => ({ markPx: String(mark), oraclePx: String(mark), midPx: String(mark) })),
        ]
      }
      case 'spotMetaAndAssetCtxs':
        return [{ tokens: [{ name: 'USDC', szDecimals: 8, index: 0 }], universe: [] }, []]
      case 'clearinghouseState':
        // All of the account's dollars lie at the venue's own dex.
        return {
          marginSummary: { accountValue: body['dex'] === DEX ? '0.0' : String(book.equityOf(user)) },
          withdrawable: String(book.equityOf(user)),
          assetPositions: [...book.accountOf(user).positions]
            .filter(([asset]) => ofDex(asset))
            .map(([asset, { size, entry }]) => ({
              type: 'oneWay',
              position: {
                coin: at(asset)?.name,
                szi: String(size),
                leverage: { type: 'cross', value: book.leverageOf(user, asset) },
                entryPx: String(entry),
                unrealizedPnl: String(size * ((at(asset)?.mark ?? 0) - entry)),
                liquidationPx: liquidationOf(user, asset, size),
              },
            })),
        }
      case 'frontendOpenOrders':
        return book.orders
          .filter((order) => order.user === user && order.status === 'open' && ofDex(order.asset))
          .map(({ asset, isBuy, price, left, oid, reduceOnly, cloid }) => ({
            coin: at(asset)?.name,
            side: isBuy ? 'B' : 'A',
            limitPx: String(price),
            sz: String(left),
            oid,
            reduceOnly,
            cloid,
          }))
      case 'activeAssetData':
        return {
          leverage: {
            type: 'cross',
            value: book.leverageOf(user, assetOf(String(body['coin']))),
          },
        }
      case 'orderStatus': {
        const order = book.orders.find(
          (one) => one.user === user && (one.cloid === body['oid'] || one.oid === body['oid']),
        )
        if (order === undefined) return { status: 'unknownOid' }
        const { oid, left, size, cloid, status } = order
        return { status: 'order', order: { order: { oid, sz: String(left), origSz: String(size), cloid }, status } }
      }
      default:
        return null
    }
  }

  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    book,
    markets,
    built,
    settings,
    updates,
    /** Types of the questions that were asked, in their order. */
    asked,
    /** Actions that were taken, as they arrived. */
    accepted,
    /** What goes wrong with requests: of info until it is unset, of the next one to the exchange. */
    faults,
    fund(user: string, usd: number) {
      funded.add(user.toLowerCase())
      book.accountOf(user.toLowerCase()).usd += usd
    },
    async stop() {
      updates.stop()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Who signed a request, by the kit's own hash or the venue's typed message. Other bytes are signed by somebody else. */
async function signerOf({ action, nonce, signature, vaultAddress, expiresAfter }: Body): Promise<Hex> {
  const { r, s, v } = signature
  const parts = { r, s, v: BigInt(v), yParity: v - 27 }
  const userTypes = USER_TYPES[action.type]
  if (userTypes)
    return recoverTypedDataAddress({
      domain: {
        name: 'HyperliquidSignTransaction',
        version: '1',
        chainId: Number(action['signatureChainId']),
        verifyingContract: NOWHERE,
      },
      types: userTypes,
      primaryType: Object.keys(userTypes)[0] ?? '',
      message: action,
      signature: parts,
    })
  const connectionId = createL1ActionHash({
    action,
    nonce,
    ...(vaultAddress && { vaultAddress }),
    ...(typeof expiresAfter === 'number' && { expiresAfter }),
  })
  return recoverTypedDataAddress({
    domain: { name: 'Exchange', version: '1', chainId: 1337, verifyingContract: NOWHERE },
    types: {
      Agent: [
        { name: 'source', type: 'string' },
        { name: 'connectionId', type: 'bytes32' },
      ],
    },
    primaryType: 'Agent',
    message: { source: 'a', connectionId },
    signature: parts,
  })
}

async function textOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

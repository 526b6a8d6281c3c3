import { formatDecimal, parseDecimal, valueOf } from '../lib/usd.ts'
import { contractAt, contractName, lendingPools, tokenAt, vaultAt, vaultsOf } from '../registry/index.ts'
import type { PaperAmount, PaperFill } from '../storage/index.ts'
import type { Paper } from './paper.ts'
import type { PaperAccount } from './paper-books.ts'
import { DOLLARS, PERPS_PLACE, SIZE_DECIMALS, WALLET_PLACE } from './paper-fill.ts'
import { marketsWith, type PerpAccount, type Perps } from './perps.ts'
import type { Approval, Balance, Deposit, Reader } from './tool.ts'

type Parts = Readonly<{ reader: Reader; paper: Pick<Paper, 'account' | 'fills' | 'isFilled'>; chainId: number }>

/**
 * Reads for tools and commands of a dry run: prices, quotes and fees of the real world, and holdings, rights and positions
 * of the paper portfolio, from its first fill on. The policy reads none of it: it asks its own sources.
 */
export function paperReader({ reader, paper, chainId }: Parts): Reader {
  const onPaper = async <T>(read: (account: PaperAccount) => T, real: () => Promise<T>): Promise<T> => {
    const account = await paper.account()
    return account === undefined ? real() : read(account)
  }
  return {
    ...reader,
    balances: () => onPaper(({ held }) => balancesOf(held, chainId), reader.balances),
    balance: (token) =>
      onPaper(
        ({ held }) => held.find(({ place, asset }) => place === WALLET_PLACE && asset === token.address)?.amount ?? 0n,
        () => reader.balance(token),
      ),
    deposits: () => onPaper(({ held }) => depositsOf(held, chainId), reader.deposits),
    async approvals() {
      const account = await paper.account()
      const real = await reader.approvals()
      return account === undefined ? real : approvalsOf(real, account, chainId)
    },
    async allowance(token, spender) {
      const granted = grantOf(await paper.account(), token, spender)
      return granted?.amount ?? reader.allowance(token, spender)
    },
    async permit2Allowance(token, spender) {
      const granted = grantOf(await paper.account(), token, `permit2 ${spender}`)
      if (granted === undefined) return reader.permit2Allowance(token, spender)
      return { amount: granted.amount, expiresAt: granted.expiresAt ?? 0 }
    },
    async history(limit) {
      const past = await reader.history(limit)
      return Promise.all(
        past.map(async (one) =>
          (await paper.isFilled(one.requestHash)) ? { ...one, status: 'FILLED ON PAPER' } : one,
        ),
      )
    },
    perps: reader.perps && perpsOnPaper(reader.perps, paper),
  }
}

function grantOf(account: PaperAccount | undefined, token: string, spender: string) {
  return account?.granted.find((one) => one.asset === token && one.spender === spender)
}

function balancesOf(held: readonly PaperAmount[], chainId: number): readonly Balance[] {
  return held
    .filter(({ place, amount }) => place === WALLET_PLACE && amount > 0n)
    .map(({ asset, symbol, decimals, amount }) => ({ token: tokenOf(asset, symbol, decimals, chainId), amount }))
    .sort((a, b) => Number(b.token.address === 'native') - Number(a.token.address === 'native'))
}

function tokenOf(asset: string, symbol: string, decimals: number, chainId: number): Balance['token'] {
  if (asset === 'native') return { address: 'native', symbol, decimals }
  const address = asset as Approval['spender']
  return tokenAt(chainId, address) ?? { chainId, address, symbol, decimals, stable: false }
}

/** What lies in pools and vaults. On paper a vault's share is worth one of its token: nothing is earned there. */
function depositsOf(held: readonly PaperAmount[], chainId: number): readonly Deposit[] {
  const pools = lendingPools(chainId).map(({ market, pool }) => ({ venue: 'aave', market, address: pool }))
  const vaults = vaultsOf(chainId).map(({ venue, name, vault }) => ({ venue, market: name, address: vault }))
  return [...pools, ...vaults].flatMap(({ venue, market, address }) => {
    const assets = new Set(held.filter(({ place }) => place.replace('debt ', '') === address).map(({ asset }) => asset))
    return [...assets].flatMap((asset): readonly Deposit[] => {
      const amountIn = (place: string) => held.find((one) => one.place === place && one.asset === asset)?.amount ?? 0n
      const [supplied, debt] = [amountIn(address), amountIn(`debt ${address}`)]
      const token = tokenAt(chainId, asset as Approval['spender'])
      if (!token || supplied + debt === 0n) return []
      const shares = vaultAt(chainId, address) ? supplied : null
      return [{ venue, market, address, token, supplied, debt, shares }]
    })
  })
}

/** Those of the chain, but where paper says otherwise. */
function approvalsOf(real: readonly Approval[], { granted }: PaperAccount, chainId: number): readonly Approval[] {
  const own = granted.filter(({ spender }) => !spender.startsWith('permit2 '))
  const kept = real.filter(({ token, spender }) =>
    own.every((one) => one.asset !== token.address || one.spender !== spender),
  )
  const given = own.flatMap(({ asset, spender, amount }): readonly Approval[] => {
    const token = tokenAt(chainId, asset as Approval['spender'])
    const address = spender as Approval['spender']
    const contract = contractAt(chainId, address)
    return token && amount > 0n
      ? [{ token, spender: address, name: contract ? contractName(contract) : address, amount }]
      : []
  })
  return [...kept, ...given]
}

function perpsOnPaper(perps: Perps, paper: Parts['paper']): Perps {
  return {
    ...perps,
    async account() {
      const account = await paper.account()
      const held = account?.held.filter(({ place }) => place === PERPS_PLACE) ?? []
      if (account === undefined) return perps.account()
      const listed = await marketsWith(
        held.map(({ symbol }) => symbol),
        perps,
      )
      const marks = new Map(listed.map(({ symbol, mark }) => [symbol, mark]))
      return marginAccount(held, marks, await paper.fills())
    },
  }
}

/** A position's profit is what it is worth and what its fills brought and cost, fees included. */
function marginAccount(
  held: readonly PaperAmount[],
  marks: ReadonlyMap<string, string>,
  fills: readonly PaperFill[],
): PerpAccount {
  const dollars = held.find(({ asset }) => asset === DOLLARS.asset)?.amount ?? 0n
  const open = held.filter(({ asset, amount }) => asset !== DOLLARS.asset && amount !== 0n)
  const worth = (size: bigint, mark: string) => {
    const whole = valueOf(size < 0n ? -size : size, SIZE_DECIMALS, parseDecimal(mark, 8), 'down')
    return size < 0n ? -whole : whole
  }
  const positions = open.map(({ symbol, amount }) => {
    const mark = marks.get(symbol) ?? null
    return { symbol, amount, mark, worth: mark === null ? 0n : worth(amount, mark) }
  })
  const equity = positions.reduce((sum, one) => sum + one.worth, dollars)
  const used = positions.reduce((sum, one) => sum + (one.worth < 0n ? -one.worth : one.worth), 0n)
  const free = equity > used ? equity - used : 0n
  return {
    equity: formatDecimal(equity, DOLLARS.decimals),
    withdrawable: formatDecimal(free, DOLLARS.decimals),
    positions: positions.map(({ symbol, amount, mark, worth: now }) => ({
      symbol,
      size: formatDecimal(amount, SIZE_DECIMALS),
      entry: null,
      mark,
      profit: formatDecimal(now + broughtBy(symbol, fills), DOLLARS.decimals),
      leverage: 1,
      liquidation: null,
    })),
    orders: [],
  }
}

function broughtBy(symbol: string, fills: readonly PaperFill[]): bigint {
  const own = fills.filter(({ flows }) => flows.some(({ place, asset }) => place === PERPS_PLACE && asset === symbol))
  return own
    .flatMap(({ flows }) => flows)
    .filter(({ place, asset }) => place === PERPS_PLACE && asset === DOLLARS.asset)
    .reduce((sum, { amount }) => sum + amount, 0n)
}

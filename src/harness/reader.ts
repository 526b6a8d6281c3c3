import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'
import type { ChainClient } from '../chain/index.ts'
import { type Address, isAddress, toAddress } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import {
  chainOf,
  contractOf,
  lendingPools,
  type TokenInfo,
  tokenAt,
  tokenBySymbol,
  tokensOf,
  wrappedNative,
} from '../registry/index.ts'
import { readApprovals, readDeposits } from './lending-reader.ts'
import { bestQuote } from './quoting.ts'
import type { Balance, NativeInfo, Reader } from './tool.ts'

const ERC20 = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function symbol() view returns (string)',
  'function decimals() view returns (uint8)',
])
const PERMIT2 = parseAbi([
  'function allowance(address owner, address token, address spender) view returns (uint160 amount, uint48 expiration, uint48 nonce)',
])

const FEE_BLOCKS = 5

/** A symbol that a contract gives itself: short and plain, so that it can pose as nothing else. */
const PLAIN_SYMBOL = /^[A-Za-z0-9.$_-]{1,16}$/

/** What a reader is built from: the chain, whose wallet it is, and what is read elsewhere. */
export type ReaderSettings = Readonly<{
  chain: Pick<ChainClient, 'id' | 'call' | 'readMany' | 'balanceOf' | 'feeHistory'>
  wallet: Address
  usdPrice: Reader['usdPrice']
  verdict: Reader['verdict']
  history: Reader['history']
  limits: Reader['limits']
  perps?: Reader['perps']
  predictions?: Reader['predictions']
}>

/** Reads for the tools, over one chain and for one wallet. Throws `CountersignError` `unavailable` where the node fails. */
export function createReader({ chain, wallet, ...given }: ReaderSettings): Reader {
  const native = nativeOf(chain.id)
  return {
    ...given,
    deposits: () => readDeposits(chain, wallet),
    approvals: () => readApprovals(chain, wallet, spendersOf(chain.id)),
    async fees() {
      const { baseFeesPerGas, tips } = await chain.feeHistory(FEE_BLOCKS)
      const sorted = [...tips].sort((a, b) => (a < b ? -1 : 1))
      return { base: baseFeesPerGas.at(-1) ?? 0n, tip: sorted[Math.floor(sorted.length / 2)] ?? 0n }
    },
    async balance({ address }) {
      if (address === 'native') return chain.balanceOf(wallet)
      const data = encodeFunctionData({ abi: ERC20, functionName: 'balanceOf', args: [wallet] })
      const answer = await answerOf(chain.call({ to: address, data }), 'balance')
      return read('balance', () => decodeFunctionResult({ abi: ERC20, functionName: 'balanceOf', data: answer }))
    },
    token: async (name) => (isNative(name, native) ? ok(native) : tokenOf(chain, name)),
    async balances() {
      const tokens = tokensOf(chain.id)
      const data = encodeFunctionData({ abi: ERC20, functionName: 'balanceOf', args: [wallet] })
      const [coin, { results }] = await Promise.all([
        chain.balanceOf(wallet),
        chain.readMany(tokens.map(({ address }) => ({ to: address, data }))),
      ])
      const held = tokens.map((token, i): Balance => ({ token, amount: balanceFrom(results[i]) }))
      return [{ token: native, amount: coin }, ...held].filter(({ amount }) => amount > 0n)
    },
    async allowance(token, spender) {
      const data = encodeFunctionData({ abi: ERC20, functionName: 'allowance', args: [wallet, spender] })
      const answer = await answerOf(chain.call({ to: token, data }), 'allowance')
      return read('allowance', () => decodeFunctionResult({ abi: ERC20, functionName: 'allowance', data: answer }))
    },
    async permit2Allowance(token, spender) {
      const permit2 = contractOf(chain.id, 'permit2')
      if (!permit2) throw new CountersignError('unavailable', `Permit2 is not known on chain ${chain.id}.`)
      const data = encodeFunctionData({ abi: PERMIT2, functionName: 'allowance', args: [wallet, token, spender] })
      const answer = await answerOf(chain.call({ to: permit2, data }), 'Permit2 allowance')
      const [amount, expiresAt] = read('Permit2 allowance', () =>
        decodeFunctionResult({ abi: PERMIT2, functionName: 'allowance', data: answer }),
      )
      return { amount, expiresAt }
    },
    async quote(sell, buy, amount, side) {
      const [from, to] = [poolToken(sell, chain.id), poolToken(buy, chain.id)]
      if (!from || !to) return refuse(`No wrapped coin is known on chain ${chain.id}.`)
      return bestQuote(chain, { sell: from, buy: to, amount, side })
    },
  }
}

/** The contracts that tokens are commonly approved for. */
function spendersOf(chainId: number): readonly Readonly<{ name: string; address: Address }>[] {
  const kinds = ['permit2', 'uniswap-swap-router-02', 'uniswap-v2-router-02', 'uniswap-v3-swap-router', 'morpho-blue']
  const contracts = kinds.flatMap((name) => {
    const address = contractOf(chainId, name)
    return address ? [{ name, address }] : []
  })
  return [...contracts, ...lendingPools(chainId).map(({ market, pool }) => ({ name: market, address: pool }))]
}

function nativeOf(chainId: number): NativeInfo {
  return { address: 'native', symbol: chainOf(chainId)?.native ?? 'native coin', decimals: 18 }
}

function isNative(name: string, native: NativeInfo): boolean {
  const wanted = name.toLowerCase()
  return wanted === 'native' || wanted === native.symbol.toLowerCase()
}

/** A listed token; or one by address that says who it is and does not take a listed token's name. */
async function tokenOf(chain: ReaderSettings['chain'], name: string): Promise<Result<TokenInfo>> {
  if (!isAddress(name)) {
    const listed = tokenBySymbol(chain.id, name)
    if (listed) return ok(listed)
    return refuse(`No token "${name.slice(0, 64)}" is listed on chain ${chain.id}, or several are: give its address.`)
  }
  const address = toAddress(name)
  const listed = tokenAt(chain.id, address)
  return listed ? ok(listed) : unlistedToken(chain, address)
}

async function unlistedToken(chain: ReaderSettings['chain'], address: Address): Promise<Result<TokenInfo>> {
  const [symbol, decimals] = await Promise.all([
    chain.call({ to: address, data: encodeFunctionData({ abi: ERC20, functionName: 'symbol' }) }),
    chain.call({ to: address, data: encodeFunctionData({ abi: ERC20, functionName: 'decimals' }) }),
  ])
  const silent = refuse(`The contract ${address} does not say that it is a token.`)
  if (!symbol.ok || !decimals.ok) return silent
  const said = readOr(undefined, () => ({
    symbol: decodeFunctionResult({ abi: ERC20, functionName: 'symbol', data: symbol.value }),
    decimals: decodeFunctionResult({ abi: ERC20, functionName: 'decimals', data: decimals.value }),
  }))
  if (!said || said.decimals > 36) return silent
  if (!PLAIN_SYMBOL.test(said.symbol)) return refuse(`The token ${address} has no plain symbol.`)
  const listed = tokensOf(chain.id).find((token) => token.symbol.toLowerCase() === said.symbol.toLowerCase())
  const native = nativeOf(chain.id)
  if (listed || isNative(said.symbol, native))
    return refuse(`The token ${address} calls itself ${said.symbol}, but it is not the listed one: a look-alike.`)
  return ok({ chainId: chain.id, address, symbol: said.symbol, decimals: said.decimals, stable: false })
}

function poolToken(token: TokenInfo | NativeInfo, chainId: number): Address | undefined {
  return token.address === 'native' ? wrappedNative(chainId) : token.address
}

/** A listed token that is not deployed on this node is not held. */
function balanceFrom(answer: Result<`0x${string}`> | undefined): bigint {
  if (!answer?.ok) return 0n
  return readOr(0n, () => decodeFunctionResult({ abi: ERC20, functionName: 'balanceOf', data: answer.value }))
}

async function answerOf(asked: Promise<Result<`0x${string}`>>, what: string): Promise<`0x${string}`> {
  const answer = await asked
  if (!answer.ok) throw new CountersignError('unavailable', `The ${what} could not be read.`)
  return answer.value
}

function read<T>(what: string, decode: () => T): T {
  try {
    return decode()
  } catch {
    throw new CountersignError('unavailable', `The ${what} could not be read.`)
  }
}

function readOr<T>(fallback: T, decode: () => T): T {
  try {
    return decode()
  } catch {
    return fallback
  }
}

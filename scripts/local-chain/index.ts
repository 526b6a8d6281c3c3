import { type Address, encodeFunctionData, type Hex, numberToHex, parseAbi } from 'viem'
import { addresses, type FeedPair, type TokenSymbol } from './addresses.ts'
import { startAnvil } from './anvil.ts'
import { buildState } from './build.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { createSender, type Sender } from './sender.ts'
import { setPrice, setSanctioned } from './stand-ins.ts'
import { dropState, readState, stateFile, writeState } from './state-cache.ts'

export type { FeedPair, TokenSymbol } from './addresses.ts'

export type LocalChainOptions = Readonly<{
  /** A free port by default. */
  port?: number
  /** 1 by default, so that mainnet's registry, decoders and signatures apply as they are. */
  chainId?: number
  /**
   * Mines a block every so many seconds besides one for each transaction. By default only transactions make blocks: an
   * idle chain then keeps its latest block, and what `eth_call` sees of the time ages with it.
   */
  blockTime?: number
  /** Told the name of each step that takes time. */
  onProgress?: (step: string) => void
  /** False builds the state anew and keeps no copy of it. */
  cache?: boolean
}>

/** Amounts to add to an account, in wei and in the tokens' smallest units. */
export type Funds = Readonly<{ native?: bigint; tokens?: Readonly<Partial<Record<TokenSymbol, bigint>>> }>

export type LocalChain = Readonly<{
  rpcUrl: string
  chainId: number
  addresses: typeof addresses
  fund(address: Address, funds: Funds): Promise<void>
  /** `answerE8` in units of 1e-8 USD; without `updatedAt` (Unix seconds) the feed is as fresh as the latest block. */
  setPrice(pair: FeedPair, answerE8: bigint, updatedAt?: number): Promise<void>
  /** Lists the address at the sanctions oracle; `listed: false` takes it off. */
  sanction(address: Address, listed?: boolean): Promise<void>
  snapshot(): Promise<Hex>
  /** Back to a snapshot, which is used up by it, plus one block at the present time, whatever `increaseTime` added. */
  revert(id: Hex): Promise<void>
  request(method: string, params?: readonly unknown[]): Promise<unknown>
  mine(blocks?: number): Promise<void>
  /** Moves the clock on and mines a block at the new time. */
  increaseTime(seconds: number): Promise<void>
  stop(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}>

/**
 * Starts a chain of its own that looks like Ethereum mainnet where it matters to the product: Uniswap's contracts at
 * their production addresses with liquidity, tokens, price feeds and a sanctions oracle. It ends with this process.
 */
export async function startLocalChain(options: LocalChainOptions = {}): Promise<LocalChain> {
  const { port = 0, chainId = 1, blockTime, onProgress = () => undefined, cache = true } = options
  onProgress('anvil')
  const anvil = await startAnvil({ port, chainId, blockTime })
  try {
    const rpc = createRpc(anvil.rpcUrl)
    await rpc('anvil_setLoggingEnabled', [false])
    const sender = await createSender(rpc)
    const file = cache ? await stateFile(chainId) : undefined
    if (file === undefined || !(await loadState(rpc, file))) {
      await buildState(sender, onProgress)
      if (file !== undefined) await writeState(file, (await rpc('anvil_dumpState')) as string)
    }
    await resetClock(rpc)
    return describeChain(anvil.rpcUrl, chainId, sender, anvil.stop)
  } catch (error) {
    await anvil.stop()
    throw error
  }
}

async function loadState(rpc: Rpc, file: string): Promise<boolean> {
  const state = await readState(file)
  if (state === undefined) return false
  const loaded = await rpc('anvil_loadState', [state]).catch(() => false)
  if (loaded !== true) await dropState(file)
  return loaded === true
}

/** Sets the clock of the chain to the present and mines a block, so that the latest block is a fresh one. */
async function resetClock(rpc: Rpc): Promise<void> {
  await rpc('evm_setTime', [Date.now()])
  await rpc('evm_mine')
}

function describeChain(rpcUrl: string, chainId: number, sender: Sender, stop: () => Promise<void>): LocalChain {
  const { rpc } = sender
  return {
    rpcUrl,
    chainId,
    addresses,
    fund: (address, funds) => fund(sender, address, funds),
    setPrice: (pair, answerE8, updatedAt = 0) => setPrice(rpc, pair, answerE8, updatedAt),
    sanction: (address, listed = true) => setSanctioned(rpc, address, listed),
    snapshot: async () => (await rpc('evm_snapshot')) as Hex,
    revert: async (id) => {
      if ((await rpc('evm_revert', [id])) !== true) throw new Error(`no snapshot ${id}`)
      await resetClock(rpc)
    },
    request: rpc,
    mine: async (blocks = 1) => {
      await rpc('anvil_mine', [numberToHex(blocks)])
    },
    increaseTime: async (seconds) => {
      await rpc('evm_increaseTime', [numberToHex(seconds)])
      await rpc('evm_mine')
    },
    stop,
    [Symbol.asyncDispose]: stop,
  }
}

const tokenAbi = parseAbi([
  'function mint(address to, uint256 amount)',
  'function deposit() payable',
  'function transfer(address to, uint256 amount)',
])

async function fund({ rpc, send }: Sender, address: Address, { native = 0n, tokens = {} }: Funds): Promise<void> {
  if (native > 0n) await rpc('anvil_addBalance', [address, numberToHex(native)])
  const { WETH = 0n, ...mintable } = tokens
  if (WETH > 0n) {
    await send(addresses.tokens.WETH, encodeFunctionData({ abi: tokenAbi, functionName: 'deposit' }), WETH)
    const transfer = { abi: tokenAbi, functionName: 'transfer', args: [address, WETH] } as const
    await send(addresses.tokens.WETH, encodeFunctionData(transfer))
  }
  for (const symbol of ['USDC', 'DAI'] as const) {
    const amount = mintable[symbol] ?? 0n
    const mint = { abi: tokenAbi, functionName: 'mint', args: [address, amount] } as const
    if (amount > 0n) await send(addresses.tokens[symbol], encodeFunctionData(mint))
  }
}

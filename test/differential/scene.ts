// The local chain with a funded wallet that has given every approval, so that what its actions do is theirs alone.
import { type Hex, maxUint160, maxUint256, parseEther, parseUnits } from 'viem'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type Address, toAddress } from '../../src/lib/address.ts'
import { createWallet, type Wallet } from '../local-chain/wallet.ts'
import type { Cast } from '../support/dice.ts'
import {
  type Encoded,
  erc20Approve,
  type PermitBatch,
  type PermitSingle,
  permit2Approve,
  tokens,
  uniswap,
} from '../support/encode.ts'
import { v2Add } from '../support/encode-routers.ts'

export type Scene = Readonly<{
  chain: LocalChain
  wallet: Address
  /** The wallet with its key. */
  owner: Wallet
  cast: Cast
  stop(): Promise<void>
}>

const TOKENS = Object.values(tokens)
const ROUTERS = [uniswap.universalRouter20, uniswap.universalRouter21]
const NEVER = 2 ** 48 - 1
export const FRIEND = toAddress('0xF700000000000000000000000000000000000057')

const DETAILS = [
  { name: 'token', type: 'address' },
  { name: 'amount', type: 'uint160' },
  { name: 'expiration', type: 'uint48' },
  { name: 'nonce', type: 'uint48' },
]
const REST = [
  { name: 'spender', type: 'address' },
  { name: 'sigDeadline', type: 'uint256' },
]
const TYPES = {
  PermitSingle: [{ name: 'details', type: 'PermitDetails' }, ...REST],
  PermitBatch: [{ name: 'details', type: 'PermitDetails[]' }, ...REST],
  PermitDetails: DETAILS,
}

/** Starts the chain and sets the scene. */
export async function setScene(): Promise<Scene> {
  const chain = await startLocalChain()
  const [wallet, lender] = [createWallet(chain), createWallet(chain)]
  const wealth = { USDC: parseUnits('10000000', 6), DAI: parseEther('10000000'), WETH: parseEther('10000') }
  for (const { address } of [wallet, lender])
    await chain.fund(address, { native: parseEther('100000'), tokens: wealth })
  const send = (from: Wallet, { to, data }: Encoded) => from.send(to, data)
  for (const token of TOKENS) {
    for (const spender of [uniswap.permit2, uniswap.swapRouter02, uniswap.v2Router02, uniswap.v3SwapRouter])
      await send(wallet, erc20Approve({ token, spender, amount: maxUint256 }))
    for (const spender of ROUTERS)
      await send(wallet, permit2Approve({ token, spender, amount: maxUint160, expiration: NEVER }))
    for (const spender of [uniswap.permit2, wallet.address])
      await send(lender, erc20Approve({ token, spender, amount: maxUint256 }))
    const right = { token, spender: wallet.address, amount: maxUint160, expiration: NEVER }
    await send(lender, permit2Approve(right))
  }
  const liquidity = { amountA: parseUnits('300000', 6), amountB: parseEther('100'), minA: 0n, minB: 0n }
  await send(wallet, v2Add({ a: tokens.USDC, b: tokens.WETH, to: wallet.address, ...liquidity }))
  const shares = { token: chain.addresses.pools.v2UsdcWeth, spender: uniswap.v2Router02, amount: maxUint256 }
  await send(wallet, erc20Approve(shares))
  const cast: Cast = {
    wallet: wallet.address,
    friends: [FRIEND],
    lender: lender.address,
    permits: await signPermits(wallet),
    batches: await signBatches(wallet),
  }
  return { chain, wallet: toAddress(wallet.address), owner: wallet, cast, stop: chain.stop }
}

const domain = { name: 'Permit2', chainId: 1, verifyingContract: uniswap.permit2 }
const SPENDERS = [...ROUTERS, FRIEND]

async function signPermits({ account }: Wallet): Promise<Cast['permits']> {
  const permits = SPENDERS.flatMap((spender) =>
    TOKENS.flatMap((token) =>
      [maxUint160, 1_000_000_000n].map(
        (amount): PermitSingle => ({
          details: { token, amount, expiration: 2_000_000_000, nonce: 0 },
          spender,
          sigDeadline: 2_100_000_000n,
        }),
      ),
    ),
  )
  return Promise.all(
    permits.map(async (permit) => {
      const typed = { domain, types: TYPES, primaryType: 'PermitSingle', message: permit } as const
      return { permit, signature: await account.signTypedData(typed) }
    }),
  )
}

async function signBatches({ account }: Wallet): Promise<Cast['batches']> {
  const batches = SPENDERS.map(
    (spender): PermitBatch => ({
      details: TOKENS.map((token, i) => ({
        token,
        amount: maxUint160 - BigInt(i),
        expiration: 2_000_000_000,
        nonce: 0,
      })),
      spender,
      sigDeadline: maxUint256,
    }),
  )
  return Promise.all(
    batches.map(async (permit) => {
      const typed = { domain, types: TYPES, primaryType: 'PermitBatch', message: permit } as const
      return { permit, signature: (await account.signTypedData(typed)) as Hex }
    }),
  )
}

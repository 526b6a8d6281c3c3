import { decodeFunctionResult, encodeFunctionData, parseAbi } from 'viem/utils'
import type { ChainCall, ChainClient } from '../chain/index.ts'
import type { Address } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import type { Result } from '../lib/result.ts'
import { lendingPools, tokenAt, tokensOf, vaultsOf } from '../registry/index.ts'
import type { Approval, Deposit } from './tool.ts'

const ABI = parseAbi([
  'function balanceOf(address owner) view returns (uint256)',
  'function allowance(address owner, address spender) view returns (uint256)',
  'function convertToAssets(uint256 shares) view returns (uint256)',
])

type Chain = Pick<ChainClient, 'id' | 'readMany'>

/** What the wallet has in the lending pools and vaults that are known on a chain, and what it owes. */
export async function readDeposits(chain: Chain, wallet: Address): Promise<readonly Deposit[]> {
  const reserves = lendingPools(chain.id).flatMap(({ pool, market, reserves: all }) =>
    all.map((reserve) => ({ ...reserve, pool, market })),
  )
  const vaults = vaultsOf(chain.id)
  const held = await numbers(chain, [
    ...reserves.flatMap(({ aToken, variableDebtToken }) => [
      balanceCall(aToken, wallet),
      balanceCall(variableDebtToken, wallet),
    ]),
    ...vaults.map(({ vault }) => balanceCall(vault, wallet)),
  ])
  const pools = reserves.flatMap(({ asset, market, pool }, i): readonly Deposit[] => {
    const token = tokenAt(chain.id, asset)
    const [supplied, debt] = [held[i * 2] ?? 0n, held[i * 2 + 1] ?? 0n]
    if (!token || supplied + debt === 0n) return []
    return [{ venue: 'aave', market, address: pool, token, supplied, debt, shares: null }]
  })
  const shares = vaults
    .map((vault, i) => ({ ...vault, shares: held[reserves.length * 2 + i] ?? 0n }))
    .filter((vault) => vault.shares > 0n)
  const worth = await numbers(
    chain,
    shares.map(({ vault, shares: count }) => ({
      to: vault,
      data: encodeFunctionData({ abi: ABI, functionName: 'convertToAssets', args: [count] }),
    })),
  )
  return [
    ...pools,
    ...shares.flatMap(({ venue, name, vault, asset, shares: count }, i): readonly Deposit[] => {
      const token = tokenAt(chain.id, asset)
      if (!token) return []
      return [{ venue, market: name, address: vault, token, supplied: worth[i] ?? 0n, debt: 0n, shares: count }]
    }),
  ]
}

/** What others may take from the wallet: every listed token, and the contracts that its venues have. */
export async function readApprovals(
  chain: Chain,
  wallet: Address,
  spenders: readonly Readonly<{ name: string; address: Address }>[],
): Promise<readonly Approval[]> {
  const pairs = tokensOf(chain.id).flatMap((token) => spenders.map((spender) => ({ token, spender })))
  const amounts = await numbers(
    chain,
    pairs.map(({ token, spender }) => ({
      to: token.address,
      data: encodeFunctionData({ abi: ABI, functionName: 'allowance', args: [wallet, spender.address] }),
    })),
  )
  return pairs.flatMap(({ token, spender }, i) => {
    const amount = amounts[i] ?? 0n
    return amount > 0n ? [{ token, spender: spender.address, name: spender.name, amount }] : []
  })
}

function balanceCall(to: Address, owner: Address): ChainCall {
  return { to, data: encodeFunctionData({ abi: ABI, functionName: 'balanceOf', args: [owner] }) }
}

/** A contract that is not deployed on this node has nothing. */
async function numbers(chain: Chain, calls: readonly ChainCall[]): Promise<readonly bigint[]> {
  if (calls.length === 0) return []
  const { results } = await chain.readMany(calls)
  return results.map(numberFrom)
}

function numberFrom(answer: Result<Hex>): bigint {
  if (!answer.ok) return 0n
  try {
    return decodeFunctionResult({ abi: ABI, functionName: 'balanceOf', data: answer.value })
  } catch {
    return 0n
  }
}

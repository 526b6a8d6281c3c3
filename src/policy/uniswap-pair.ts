import { type Address, toAddress } from '../lib/address.ts'
import { keccak256 } from '../lib/hash.ts'

/** Factories of pools of version 2. Source: docs.uniswap.org, v2 deployments, read 2026-11-21. */
const FACTORIES: ReadonlyMap<number, Address> = new Map([
  [1, '0x5c69bee701ef814a2b6a3edd4b1652cb9cc5aa6f'],
  [137, '0x9e5a52f57b3038f1b8eee45f28b3c1967e22799c'],
  [8453, '0x8909dc15e40173ff4699343b6eb8132c65e18ec6'],
  [42161, '0xf1d7cc64fb4452f05c498126312ebe29f30fbcf9'],
  [11155111, '0xf62c03e08ada871a0beb309762e260a7a6a880e6'],
])

/** Hash of the code that creates a pair, the same for all factories. Source: v2-periphery, UniswapV2Library. */
const PAIR_CODE_HASH = '96e8ac4277198ff8b6f785478aa9a39f403cb768dd02cbee326c3e7da348845f'

/** The address of two tokens' pool of version 2, whether or not it was created; undefined where no factory is known. */
export function v2Pair(chainId: number, a: Address, b: Address): Address | undefined {
  const factory = FACTORIES.get(chainId)
  if (factory === undefined) return undefined
  const [first, second] = a < b ? [a, b] : [b, a]
  const salt = keccakOf(first.slice(2) + second.slice(2))
  return toAddress(`0x${keccakOf(`ff${factory.slice(2)}${salt}${PAIR_CODE_HASH}`).slice(24)}`)
}

function keccakOf(digits: string): string {
  return keccak256(Buffer.from(digits, 'hex')).slice(2)
}

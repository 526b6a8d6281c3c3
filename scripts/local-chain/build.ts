import { numberToHex, parseEther } from 'viem'
import { placeAave } from './aave.ts'
import { addresses } from './addresses.ts'
import {
  placePermit2,
  placeTokens,
  placeUniswapV2,
  placeUniswapV3,
  placeUniswapV4,
  placeUniversalRouters,
} from './contracts.ts'
import { addLiquidity } from './liquidity.ts'
import type { Sender } from './sender.ts'
import { placeStandIns } from './stand-ins.ts'
import { placeVault } from './vault.ts'

/** Builds the chain's state on an empty node: contracts first, then the pools. */
export async function buildState(sender: Sender, onProgress: (step: string) => void): Promise<void> {
  const wealth = numberToHex(parseEther('1000000000'))
  await sender.rpc('anvil_setBalance', [addresses.liquidityProvider, wealth])
  const steps = {
    tokens: () => placeTokens(sender),
    'Uniswap v2': () => placeUniswapV2(sender),
    'Uniswap v3': () => placeUniswapV3(sender),
    Permit2: () => placePermit2(sender),
    'Uniswap v4': () => placeUniswapV4(sender),
    'Universal Router 2.0 and 2.1': () => placeUniversalRouters(sender),
    'price feeds and sanctions oracle': () => placeStandIns(sender.rpc),
    liquidity: () => addLiquidity(sender),
    'Aave v3': () => placeAave(sender),
    vault: () => placeVault(sender),
  }
  for (const [name, step] of Object.entries(steps)) {
    onProgress(name)
    await step()
  }
}

import { toAddress } from '../../../src/lib/address.ts'
import type { PositionChange } from '../../../src/policy/decoded-action.ts'
import type { Encoded } from '../../support/encode.ts'
import { tokens } from '../../support/encode.ts'
import { aave, MORPHO, usdcAgainstWstEth, vaults } from '../../support/encode-lending.ts'
import { decoded, FRIEND, flowsOf, STRANGER, WALLET } from './flows.ts'

const NAMES = new Map<string, string>([
  [WALLET, 'wallet'],
  [STRANGER, 'stranger'],
  [FRIEND, 'friend'],
  [toAddress(MORPHO), 'Morpho'],
  [toAddress(usdcAgainstWstEth.collateralToken), 'wstETH'],
  ...Object.entries({ ...tokens, ...aave, ...vaults }).map(([name, address]) => [toAddress(address), name] as const),
])

/** What a lending transaction decodes to, in words, all legs together. */
export function lendingOf(tx: Encoded) {
  const { legs } = decoded(tx)
  return {
    kinds: legs.map(({ kind }) => kind),
    ...flowsOf(tx),
    positions: legs.flatMap(({ positions = [] }) => positions.map(positionText)),
    controls: legs.flatMap(({ controls = [] }) =>
      controls.map(
        ({ owner, operator, granted }) => `${nameOf(operator)} ${granted ? 'controls' : 'leaves'} ${nameOf(owner)}`,
      ),
    ),
  }
}

function positionText({ market, side, change, asset, amount, party }: PositionChange): string {
  const sign = change === 'increase' ? '+' : '-'
  return `${side} ${sign}${amount ?? 'all'} ${nameOf(asset)} of ${nameOf(party)} at ${nameOf(market)}`
}

function nameOf(address: string): string {
  return NAMES.get(address) ?? address
}

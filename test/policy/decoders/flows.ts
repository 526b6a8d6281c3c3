import assert from 'node:assert/strict'
import { toAddress } from '../../../src/lib/address.ts'
import { decode } from '../../../src/policy/decode.ts'
import type { DecodedAction, Flow, Grant } from '../../../src/policy/decoded-action.ts'
import { type Encoded, tokens, uniswap } from '../../support/encode.ts'

export const WALLET = toAddress('0x00000000000000000000000000000000000A11cE')
export const STRANGER = toAddress('0x5700000000000000000000000000000000000057')
export const FRIEND = toAddress('0xF700000000000000000000000000000000000057')

const NAMES = new Map<string, string>([
  ['native', 'ETH'],
  [WALLET, 'wallet'],
  [STRANGER, 'stranger'],
  [FRIEND, 'friend'],
  ...Object.entries({ ...tokens, ...uniswap }).map(([name, address]) => [toAddress(address), name] as const),
])

/** What a transaction decodes to, as short texts: `= 5 USDC of wallet`, `>= 1 WETH to router`. */
export type Flows = Readonly<{ spends: readonly string[]; receives: readonly string[]; grants: readonly string[] }>

/** The decoded action; a refusal fails the test. */
export function decoded(tx: Encoded): DecodedAction {
  const result = decode({ ...tx, chainId: 1 }, WALLET)
  assert.ok(result.ok, result.ok ? '' : `${tx.description}: ${result.reason}`)
  return result.value
}

/** Why a transaction is refused; where it is not, the test fails. */
export function refusal(tx: Encoded): string {
  const result = decode({ ...tx, chainId: 1 }, WALLET)
  assert.ok(!result.ok, `${tx.description} was decoded`)
  return result.reason
}

/** The flows and grants of all legs, in words. */
export function flowsOf(tx: Encoded): Flows {
  const { legs } = decoded(tx)
  return {
    spends: legs.flatMap((leg) => leg.spends.map((flow) => `${flowText(flow)} of ${nameOf(flow.party)}`)),
    receives: legs.flatMap((leg) => leg.receives.map((flow) => `${flowText(flow)} to ${nameOf(flow.party)}`)),
    grants: legs.flatMap((leg) => leg.grants.map(grantText)),
  }
}

const SIGNS = { exact: '=', min: '>=', max: '<=' }

function flowText({ asset, amount, bound }: Flow): string {
  return `${SIGNS[bound]} ${amount} ${nameOf(asset)}`
}

function grantText({ asset, owner, spender, amount, unlimited, expiresAt }: Grant): string {
  const limit = unlimited ? 'unlimited' : amount
  return `${nameOf(spender)} may spend ${limit} ${nameOf(asset)} of ${nameOf(owner)} until ${expiresAt ?? 'ever'}`
}

function nameOf(address: string): string {
  return NAMES.get(address) ?? address
}

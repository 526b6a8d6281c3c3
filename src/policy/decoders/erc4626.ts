import type { Address } from '../../lib/address.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { vaultAt } from '../../registry/index.ts'
import { abiFunction, address, callFunction, functionTable, uint } from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import { type LendingAccount, someAmount, supplyLeg, withdrawLeg } from '../lending-legs.ts'
import { authorizationFunctions } from '../token-authorizations.ts'
import { allowanceFunctions, tokenFunctions } from '../token-functions.ts'

/** A call on a vault of an asset. */
type VaultCall = Call & Readonly<{ venue: string; asset: Address }>

/**
 * Source: EIP-4626. It lets nobody name the fewest shares of a deposit or the fewest assets of a redemption: how much a
 * share is worth is for the vault to know. So what is decoded is what is named: assets.
 */
const functions = functionTable<VaultCall, Leg>([
  abiFunction('deposit', [uint(256), address], ([assets, receiver], call) =>
    someOf(assets, supplyLeg(accountOf(call, receiver), assets, call.wallet)),
  ),
  abiFunction('mint', [uint(256), address], () =>
    refuse('its bytes do not say what is paid for the shares: "deposit" names the assets'),
  ),
  abiFunction('withdraw', [uint(256), address, address], ([assets, receiver, owner], call) =>
    someOf(assets, withdrawLeg(accountOf(call, owner), assets, receiver)),
  ),
  // Up to all that the owner has: only the vault knows what the shares come to.
  abiFunction('redeem', [uint(256), address, address], ([shares, receiver, owner], call) =>
    someOf(shares, withdrawLeg(accountOf(call, owner), null, receiver)),
  ),
  // Its shares are a token.
  ...tokenFunctions,
  ...allowanceFunctions,
  ...authorizationFunctions,
])

/** Vaults of ERC-4626 whose asset the registry knows. No trailing bytes: what a vault reads is its own affair. */
export const erc4626 = defineDecoder({
  kind: 'erc4626',
  decode(call) {
    const vault = vaultAt(call.chainId, call.to)
    if (vault === undefined) return refuse(`${call.to} is no vault that the registry knows on chain ${call.chainId}.`)
    if (call.value > 0n) return refuse('A vault takes no native value: "value" must be 0.')
    const { venue, asset } = vault
    const result = callFunction(functions, call.data, { ...call, venue, asset })
    return result.ok ? ok({ legs: [result.value.value] }) : refuse(`Vault ${vault.name}: ${result.reason}.`)
  },
})

function accountOf({ venue, to, asset }: VaultCall, party: Address): LendingAccount {
  return { venue, market: to, asset, party }
}

function someOf(amount: bigint, leg: Leg): Result<Leg> {
  const some = someAmount(amount)
  return some.ok ? ok(leg) : some
}

import assert from 'node:assert/strict'
import { decodeProposed } from '../../../src/policy/decode-proposed.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import { members } from '../../../src/policy/typed-data.ts'
import { ProposedTx, type TypedData } from '../../../src/schema/action.ts'
import { WALLET } from '../decoders/flows.ts'

/** A message of a kind whose structs are written as signatures are. */
export function typedData(
  primaryType: string,
  structs: Readonly<Record<string, string>>,
  domain: TypedData['domain'],
  message: TypedData['message'],
): TypedData {
  const types = Object.fromEntries(Object.entries(structs).map(([name, text]) => [name, [...members(text)]]))
  return { primaryType, types, domain, message }
}

/** What a signed message decodes to; a refusal fails the test. */
export function decodedMessage(protocol: 'permit2' | 'erc20', message: TypedData, chainId = 1): DecodedAction {
  const result = decodeProposed(ProposedTx.parse({ protocol, chainId, typedData: message }), WALLET)
  assert.ok(result.ok, result.ok ? '' : result.reason)
  return result.value
}

/** Why a signed message is refused; where it is not, the test fails. */
export function refusedMessage(protocol: 'permit2' | 'erc20', message: TypedData, chainId = 1): string {
  const result = decodeProposed(ProposedTx.parse({ protocol, chainId, typedData: message }), WALLET)
  assert.ok(!result.ok, 'it was decoded')
  return result.reason
}

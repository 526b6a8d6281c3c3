import { hashTypedData } from 'viem/utils'
import { type Hex, keccak256 } from '../lib/hash.ts'
import { type Packable, packMessage } from '../lib/msgpack.ts'
import type { HyperliquidRequest, UserAction } from './hyperliquid-action.ts'
import { type Members, members } from './typed-data.ts'

const NOWHERE = '0x0000000000000000000000000000000000000000'

/** What an action that an agent signs is hashed with. */
export type L1Envelope = Readonly<{
  action: Packable
  nonce: number
  vaultAddress: string | null
  expiresAfter: number | null
}>

/**
 * The id that stands for an action in the message that is signed: keccak-256 over the packed action, the nonce, the
 * account that it is for, and its end. Source: hyperliquid-python-sdk, `action_hash`.
 */
export function connectionIdOf({ action, nonce, vaultAddress, expiresAfter }: L1Envelope): Hex {
  return keccak256(
    Buffer.concat([
      packMessage(action),
      word(nonce),
      vaultAddress === null
        ? Uint8Array.of(0)
        : Buffer.concat([Uint8Array.of(1), Buffer.from(vaultAddress.slice(2), 'hex')]),
      expiresAfter === null ? Uint8Array.of() : Buffer.concat([Uint8Array.of(0), word(expiresAfter)]),
    ]),
  )
}

/** The digest that is signed for a connection id on one of the venue's networks. */
export function agentDigest(connectionId: Hex, network: 'Mainnet' | 'Testnet'): Hex {
  return hashTypedData({
    domain: { name: 'Exchange', version: '1', chainId: 1337, verifyingContract: NOWHERE },
    types: { Agent: members('string source,bytes32 connectionId') },
    primaryType: 'Agent',
    message: { source: network === 'Mainnet' ? 'a' : 'b', connectionId },
  })
}

/** The structs of user-signed actions. Source: hyperliquid-python-sdk, `signing.py`. */
const USER_TYPES: Readonly<Record<UserAction['type'], readonly [name: string, fields: Members]>> = {
  usdSend: ['UsdSend', members('string hyperliquidChain,string destination,string amount,uint64 time')],
  spotSend: ['SpotSend', members('string hyperliquidChain,string destination,string token,string amount,uint64 time')],
  sendAsset: [
    'SendAsset',
    members(
      'string hyperliquidChain,string destination,string sourceDex,string destinationDex,string token,string amount,string fromSubAccount,uint64 nonce',
    ),
  ],
  withdraw3: ['Withdraw', members('string hyperliquidChain,string destination,string amount,uint64 time')],
  usdClassTransfer: ['UsdClassTransfer', members('string hyperliquidChain,string amount,bool toPerp,uint64 nonce')],
  approveAgent: ['ApproveAgent', members('string hyperliquidChain,address agentAddress,string agentName,uint64 nonce')],
  approveBuilderFee: [
    'ApproveBuilderFee',
    members('string hyperliquidChain,string maxFeeRate,address builder,uint64 nonce'),
  ],
}

/** The digest of a user-signed action, on the chain that it names for its signature. */
export function userDigest(type: UserAction['type'], signatureChainId: string, message: object): Hex {
  const [name, fields] = USER_TYPES[type]
  const primaryType = `HyperliquidTransaction:${name}`
  return hashTypedData({
    domain: {
      name: 'HyperliquidSignTransaction',
      version: '1',
      chainId: BigInt(signatureChainId),
      verifyingContract: NOWHERE,
    },
    types: { [primaryType]: fields },
    primaryType,
    message: { agentName: '', ...message },
  })
}

/** The digest that has to be signed for a request to be the wallet's. */
export function digestOfRequest(request: HyperliquidRequest): Hex {
  if (request.signedAs === 'user')
    return userDigest(request.action.type, request.action.signatureChainId, request.action)
  const { action, ...envelope } = request
  // What was parsed has no undefined members: they are absent.
  return agentDigest(connectionIdOf({ ...envelope, action: action as Packable }), 'Mainnet')
}

function word(value: number): Uint8Array {
  const bytes = Buffer.alloc(8)
  bytes.writeBigUInt64BE(BigInt(value))
  return bytes
}

import {
  decodeAbiParameters,
  decodeFunctionResult,
  encodeFunctionData,
  hashMessage,
  parseAbi,
  recoverMessageAddress,
} from 'viem/utils'
import type { ChainClient, Chains } from '../chain/index.ts'
import { type Address, isAddress, toAddress } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'

/** A text, and the signature that its author is said to have made. */
export type Signed = Readonly<{ text: string; signature: Hex; address: Address; chainId: number }>

/** Who vouches for a signature: the account's own key, its contract on the chain, or nobody. */
export type Voucher = 'key' | 'contract' | 'nobody'

const PLAIN_BYTES = 65
const ERC1271 = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
/** What `isValidSignature` answers to a good signature (ERC-1271), as a word. */
const MAGIC = `0x1626ba7e${'00'.repeat(28)}`
/** End of a signature for an account that is not deployed yet (ERC-6492). */
const COUNTERFACTUAL = '6492'.repeat(16)
/** https://www.multicall3.com: at the same address on every supported chain. */
const MULTICALL3 = toAddress('0xca11bde05977b3631167028862be2a173976ca11')
const MULTICALL = parseAbi([
  'struct Call { address target; bool allowFailure; bytes callData; }',
  'struct Result { bool success; bytes returnData; }',
  'function aggregate3(Call[] calls) payable returns (Result[] returnData)',
])

/**
 * Checks a signature: first by recovery, which asks nobody; then by the account's contract, on the chain of the message
 * alone.
 *
 * @throws CountersignError `unavailable` where the chain does not answer
 */
export async function voucherOf(signed: Signed, chains: Chains): Promise<Voucher> {
  if (await isByKey(signed)) return 'key'
  const chain = chains.of(signed.chainId)
  if (chain === undefined) return 'nobody'
  return (await isByContract(signed, chain)) ? 'contract' : 'nobody'
}

async function isByKey({ text, signature, address }: Signed): Promise<boolean> {
  if (signature.length !== 2 + 2 * PLAIN_BYTES) return false
  try {
    return toAddress(await recoverMessageAddress({ message: text, signature })) === address
  } catch {
    return false // no point of the curve: nobody made it
  }
}

async function isByContract({ text, signature, address }: Signed, chain: ChainClient): Promise<boolean> {
  const counterfactual = signature.endsWith(COUNTERFACTUAL) ? counterfactualOf(signature) : undefined
  if (signature.endsWith(COUNTERFACTUAL) && counterfactual === undefined) return false
  const question = questionOf(text, counterfactual?.signature ?? signature)
  const answer = await chain.call({ to: address, data: question })
  // No code, no answer: only then may a deployment come before the question.
  if (answer.ok && answer.value === '0x' && counterfactual !== undefined)
    return answersOnceDeployed(chain, address, question, counterfactual)
  return answer.ok && answer.value.toLowerCase() === MAGIC
}

function questionOf(text: string, signature: Hex): Hex {
  const args = [hashMessage(text), signature] as const
  return encodeFunctionData({ abi: ERC1271, functionName: 'isValidSignature', args })
}

type Counterfactual = Readonly<{ factory: Address; factoryData: Hex; signature: Hex }>

/** The deployment and the signature inside a wrapped one (ERC-6492). */
function counterfactualOf(wrapped: Hex): Counterfactual | undefined {
  try {
    const [factory, factoryData, signature] = decodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      `0x${wrapped.slice(2, -COUNTERFACTUAL.length)}`,
    )
    return isAddress(factory) ? { factory: toAddress(factory), factoryData, signature } : undefined
  } catch {
    return undefined
  }
}

/** Deploys and asks in one call that is never sent. */
async function answersOnceDeployed(
  chain: ChainClient,
  account: Address,
  question: Hex,
  { factory, factoryData }: Counterfactual,
): Promise<boolean> {
  const calls = [
    { target: factory, allowFailure: false, callData: factoryData },
    { target: account, allowFailure: false, callData: question },
  ]
  const data = encodeFunctionData({ abi: MULTICALL, functionName: 'aggregate3', args: [calls] })
  const answer = await chain.call({ to: MULTICALL3, data })
  if (!answer.ok) return false
  try {
    const results = decodeFunctionResult({ abi: MULTICALL, functionName: 'aggregate3', data: answer.value })
    const [deployment, asked] = results
    return results.length === 2 && deployment?.success === true && asked?.returnData.toLowerCase() === MAGIC
  } catch {
    return false // whatever it is, it is no answer
  }
}

import { type Address, encodeDeployData, type Hex, numberToHex } from 'viem'
import { addresses } from './addresses.ts'
import type { Artifact } from './artifacts.ts'
import type { Rpc } from './rpc.ts'

/** Sends transactions as the liquidity provider, whose key nobody needs: anvil impersonates it. */
export type Sender = Readonly<{
  rpc: Rpc
  /** Sends and waits until mined; throws when the transaction reverts. `value` in wei. */
  send(to: Address, data: Hex, value?: bigint): Promise<void>
}>

/** Below the cap of one transaction since EIP-7825 (2^24), and enough for every constructor. */
const gas = numberToHex(15_000_000)

export async function createSender(rpc: Rpc): Promise<Sender> {
  const from = addresses.liquidityProvider
  await rpc('anvil_impersonateAccount', [from])
  // One at a time: anvil takes the nonce when a transaction arrives, so two at once could take the same.
  let last: Promise<void> = Promise.resolve()
  const sendNow = async (to: Address, data: Hex, value: bigint) => {
    const transaction = { from, to, data, gas, value: numberToHex(value) }
    const receipt = (await rpc('eth_sendTransactionSync', [transaction])) as { status: Hex; transactionHash: Hex }
    if (receipt.status !== '0x1') throw new Error(`transaction ${receipt.transactionHash} to ${to} reverted`)
  }
  const send = (to: Address, data: Hex, value = 0n) => {
    const sent = last.then(() => sendNow(to, data, value))
    last = sent.catch(() => undefined)
    return sent
  }
  return { rpc, send }
}

/**
 * Installs a contract at an address of our choice by running its constructor there: first the creation code stands at
 * the address, a call to it returns the runtime code, a transaction to it writes the constructor's storage, and then
 * the runtime code takes its place. Immutables and `address(this)` come out as they would from a deployment.
 */
export async function placeContract(
  { rpc, send }: Sender,
  address: Address,
  { abi, bytecode }: Artifact,
  args: readonly unknown[] = [],
): Promise<void> {
  const creationCode = encodeDeployData({ abi, bytecode, args })
  await rpc('anvil_setCode', [address, creationCode])
  const runtimeCode = await rpc('eth_call', [{ from: addresses.liquidityProvider, to: address, gas }, 'latest'])
  await send(address, '0x')
  await rpc('anvil_setCode', [address, runtimeCode])
  await rpc('anvil_setNonce', [address, '0x1']) // as a created contract has it (EIP-161)
}

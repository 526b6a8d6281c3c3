import { parseTransaction, recoverAddress, recoverTransactionAddress, type TransactionSerializedEIP1559 } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { type Address, toAddress } from '../lib/address.ts'
import { CountersignError } from '../lib/errors.ts'
import { type Hex, keccak256 } from '../lib/hash.ts'

/** Everything that is signed, each field set by us. Fees in wei for each gas, value in wei. */
export type UnsignedTx = Readonly<{
  chainId: number
  nonce: number
  to: Address
  data: Hex
  value: bigint
  gasLimit: bigint
  maxFeePerGas: bigint
  maxPriorityFeePerGas: bigint
}>

/** Signed bytes and their hash, by which they can be looked up. */
export type SignedTx = Readonly<{ raw: Hex; hash: Hex }>

/** Holds a key and signs EIP-1559 transactions with it. The key is reachable by nobody. */
export type Signer = Readonly<{
  address: Address
  /**
   * @throws CountersignError `internal` when what was signed, read back, differs from what was asked for
   */
  sign(tx: UnsignedTx): Promise<SignedTx>
  /**
   * The 65-byte signature of a digest: of a typed message, which the caller has hashed.
   * @throws CountersignError `internal` when it is not this key's
   */
  signDigest(digest: Hex): Promise<Hex>
}>

/**
 * A signer for a private key.
 *
 * @throws CountersignError `invalid_request` when it is no private key; it never carries the key
 */
export function createSigner(privateKey: Hex): Signer {
  const account = accountOf(privateKey)
  const address = toAddress(account.address)
  return {
    address,
    async sign(tx) {
      assertSignable(tx)
      const raw = await account.signTransaction({ type: 'eip1559', ...fieldsOf(tx) }).catch(() => {
        // What the library throws is left out: it prints all that it was given.
        throw new CountersignError('internal', 'The transaction could not be signed.')
      })
      await assertSigned(raw, tx, address)
      return { raw, hash: keccak256(Buffer.from(raw.slice(2), 'hex')) }
    },
    async signDigest(digest) {
      if (!/^0x[0-9a-f]{64}$/.test(digest))
        throw new CountersignError('internal', 'Only a digest of 32 bytes is signed.')
      const signature = await account.sign({ hash: digest }).catch(() => {
        throw new CountersignError('internal', 'The message could not be signed.')
      })
      const by = toAddress(await recoverAddress({ hash: digest, signature }))
      if (by !== address) throw new CountersignError('internal', 'The signature is not of the key.')
      return signature
    },
  }
}

function accountOf(privateKey: Hex) {
  try {
    return privateKeyToAccount(privateKey)
  } catch {
    throw new CountersignError('invalid_request', 'The private key must be 0x and 64 hex digits, and a valid key.')
  }
}

/** The library's encoder takes numbers that no chain does. */
function assertSignable({ nonce, value, gasLimit, maxFeePerGas, maxPriorityFeePerGas }: UnsignedTx): void {
  const amounts = [value, gasLimit, maxFeePerGas, maxPriorityFeePerGas]
  if (Number.isSafeInteger(nonce) && nonce >= 0 && amounts.every((wei) => wei >= 0n && wei < 1n << 256n)) return
  throw new CountersignError('internal', 'The transaction could not be signed: a number of it is out of range.')
}

function fieldsOf({ gasLimit, ...tx }: UnsignedTx) {
  return { ...tx, gas: gasLimit, accessList: [] }
}

/** Reads signed bytes back and compares every field, so that what was approved is what runs. */
async function assertSigned(raw: Hex, tx: UnsignedTx, sender: Address): Promise<void> {
  if (!isEip1559(raw)) throw new CountersignError('internal', 'The signed transaction is not of EIP-1559.')
  const read = parseTransaction(raw)
  const signer = toAddress(await recoverTransactionAddress({ serializedTransaction: raw }))
  const same =
    (read.accessList ?? []).length === 0 &&
    read.chainId === tx.chainId &&
    (read.nonce ?? 0) === tx.nonce &&
    read.to?.toLowerCase() === tx.to &&
    (read.data ?? '0x') === tx.data.toLowerCase() &&
    (read.value ?? 0n) === tx.value &&
    (read.gas ?? 0n) === tx.gasLimit &&
    (read.maxFeePerGas ?? 0n) === tx.maxFeePerGas &&
    (read.maxPriorityFeePerGas ?? 0n) === tx.maxPriorityFeePerGas &&
    signer === sender
  if (!same) throw new CountersignError('internal', 'The signed transaction differs from what was asked for.')
}

function isEip1559(raw: Hex): raw is TransactionSerializedEIP1559 {
  return raw.startsWith('0x02')
}

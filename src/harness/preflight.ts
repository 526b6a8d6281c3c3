import { type AssetChange, type ChainClient, type FeeCaps, type Fees, outgoing, proposeFees } from '../chain/index.ts'
import { type Address, toAddress } from '../lib/address.ts'
import { canonicalJson } from '../lib/canonical-json.ts'
import { CountersignError } from '../lib/errors.ts'
import { type Hex, keccak256 } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { type Approval, checkReceipt } from '../policy/index.ts'
import { reservesOf, vaultAt } from '../registry/index.ts'
import { type EvmTx, isEvmTx, type ProposedTx } from '../schema/action.ts'
import type { DecodedLeg } from '../schema/decoded-action.ts'
import type { StoredTransaction, StoredVerdict } from '../storage/index.ts'

/** The bytes of an action as a call of its wallet. Value in wei. */
export type ActionCall = Readonly<{ from: Address; to: Address; data: Hex; value: bigint }>

/** An action that may be signed now, all of it read from the store: its bytes, and what the verdict says that they do. */
export type Admitted = Readonly<{
  requestHash: Hex
  chainId: number
  call: ActionCall
  /** The nonce that was approved with it, where one was named. */
  nonce: number | undefined
  legs: readonly DecodedLeg[]
}>

/** An action of any form that may be signed now, as the store holds it. */
export type AdmittedAction = Readonly<{
  requestHash: Hex
  proposedTx: ProposedTx
  transaction: StoredTransaction
  verdict: StoredVerdict
  legs: readonly DecodedLeg[]
}>

/** What the store holds of an action: its row and its verdict, and the store's clock in ms. */
export type Stored = Readonly<{
  transaction: StoredTransaction | undefined
  verdict: StoredVerdict | undefined
  now: number
}>

/** Whom the executor believes: the Ed25519 key that receipts are signed with. */
export type Trusted = Readonly<{ wallet: Address; publicKey: Hex }>

/**
 * Whether an approval stands for exactly the stored bytes of that wallet, by the stored verdict. The approval by itself
 * proves nothing: what is signed comes from the store, and all three must agree.
 */
export function admit(approval: Approval, stored: Stored, trusted: Trusted): Result<Admitted> {
  const admitted = admitAction(approval, stored, trusted)
  if (!admitted.ok) return admitted
  const { requestHash, proposedTx, legs } = admitted.value
  if (!isEvmTx(proposedTx)) return refuse('The action is not a transaction.')
  const nonce = nonceOf(proposedTx)
  if (!nonce.ok) return nonce
  const { chainId } = proposedTx
  return ok({ requestHash, chainId, call: callOf(proposedTx, trusted.wallet), nonce: nonce.value, legs })
}

/** The same of an action of any form: what is signed for it is made from `proposedTx` alone. */
export function admitAction(
  approval: Approval,
  { transaction, verdict, now }: Stored,
  { wallet, publicKey }: Trusted,
): Result<AdmittedAction> {
  if (transaction === undefined || transaction.requestHash !== approval.requestHash)
    return refuse('The store does not know the request.')
  const { proposedTx, requestHash, status } = transaction
  const actionHash = actionHashOf(proposedTx)
  if (
    actionHash !== transaction.actionHash ||
    actionHash !== approval.actionHash ||
    actionHash !== actionHashOf(approval.tx)
  )
    return refuse('The stored bytes are not the ones that were approved.')
  if (transaction.wallet !== wallet || approval.wallet !== wallet)
    return refuse('The action is of another wallet than the one that signs.')
  if (transaction.chainId !== proposedTx.chainId) return refuse('The action is of another chain.')
  if (verdict?.verdict.outcome !== 'approved') return refuse('The store holds no approved verdict for the request.')
  const { observations, decodedActions } = verdict.verdict.evidence
  if (observations.actionHash !== actionHash) return refuse('The stored verdict is of another action.')
  if (status !== 'APPROVED') return refuse(`The request is ${status}, not APPROVED.`)
  if (verdict.approvedUntil === null || verdict.approvedUntil <= now || approval.expiresAt.getTime() <= now)
    return refuse('The approval has expired.')
  const { chainId } = proposedTx
  const decided = { ...verdict, requestHash, actionHash, wallet, chainId }
  const receipt = checkReceipt(verdict.receipt, decided, { publicKey, now })
  if (!receipt.ok) return receipt
  return ok({ requestHash, proposedTx, transaction, verdict, legs: decodedActions ?? [] })
}

/** A node, a venue or a store that fails before anything is signed or written: the approval stays as it was. */
export function refusalOf(thrown: unknown): Result<never> {
  if (thrown instanceof CountersignError) return refuse(thrown.message)
  throw thrown
}

/** An action's bytes as a call of a wallet. */
export function callOf({ to, data, value }: EvmTx, from: Address): ActionCall {
  return { from, to: toAddress(to), data: data.toLowerCase() as Hex, value: BigInt(value) }
}

/** The canonical hash of an action (contract section 4). */
function actionHashOf(proposedTx: unknown): Hex {
  return keccak256(canonicalJson(proposedTx))
}

function nonceOf({ nonce }: EvmTx): Result<number | undefined> {
  if (nonce === undefined) return ok(undefined)
  const text = String(nonce)
  const value = /^(0x[0-9a-fA-F]{1,13}|[0-9]{1,15})$/.test(text) ? Number(text) : Number.NaN
  return Number.isSafeInteger(value) ? ok(value) : refuse('The nonce of the action is none.')
}

/**
 * Whether all that a simulation takes out of the wallet is covered by what was decoded. Gas is no asset change. What a
 * venue burns of its own tokens in return for what it gives out, or of a debt that is paid, is part of the position.
 */
export function covered(changes: readonly AssetChange[], legs: readonly DecodedLeg[], wallet: Address): Result<true> {
  const spends = legs.flatMap((leg) => leg.spends).filter((flow) => flow.party === wallet)
  const receipts = new Set(legs.flatMap((leg) => receiptTokens(leg, wallet)))
  for (const [asset, amount] of outgoing(changes, wallet)) {
    if (receipts.has(asset)) continue
    const allowed = spends.filter((flow) => flow.asset === asset).reduce((sum, flow) => sum + BigInt(flow.amount), 0n)
    if (amount > allowed)
      return refuse(`In simulation ${amount} of ${asset} leave the wallet, and the approved action spends ${allowed}.`)
  }
  return ok(true)
}

/** The tokens by which venues keep the positions of the wallet that a leg makes smaller. */
function receiptTokens({ chainId, positions = [] }: DecodedLeg, wallet: Address): readonly string[] {
  const smaller = positions.filter(({ change, party }) => change === 'decrease' && party === wallet)
  return smaller.flatMap(({ market, asset }) => {
    const reserve = reservesOf(chainId, toAddress(market)).find((one) => one.asset === asset)
    if (reserve) return [reserve.aToken, reserve.variableDebtToken]
    return vaultAt(chainId, toAddress(market)) ? [market] : []
  })
}

/** Blocks whose tips are looked at. */
const FEE_BLOCKS = 10

/** Fees within the caps, for a wallet that can pay them and the value too. */
export async function feesFor(chain: ChainClient, call: ActionCall, caps: FeeCaps): Promise<Result<Fees>> {
  const [history, estimate, balance] = await Promise.all([
    chain.feeHistory(FEE_BLOCKS),
    chain.estimateGas(call),
    chain.balanceOf(call.from, 'pending'),
  ])
  if (!estimate.ok) return estimate
  const fees = proposeFees({ history, gasEstimate: estimate.value }, caps)
  if (!fees.ok) return fees
  const needed = call.value + fees.value.gasLimit * fees.value.maxFeePerGas
  if (balance < needed) return refuse(`The wallet has ${balance} wei, and the transaction may need ${needed}.`)
  return fees
}

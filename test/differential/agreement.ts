// Compares what a decoded action declares with what the chain did.
import { decodeAbiParameters, encodeFunctionData, parseAbi, parseAbiParameters } from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '../../src/lib/address.ts'
import { decode } from '../../src/policy/decode.ts'
import type { DecodedAction, Flow, Grant } from '../../src/policy/decoded-action.ts'
import type { Encoded } from '../support/encode.ts'
import { type Answers, type Changes, type Observed, type Overrides, observe, type Question } from './observe.ts'
import type { Scene } from './scene.ts'

export type Outcome = Readonly<
  | { what: 'refused'; reason: string; executes: boolean }
  | { what: 'reverted'; reason: string }
  | { what: 'compared'; action: DecodedAction; faults: readonly string[] }
>

/** Where sold tokens go and bought ones come from. */
const POOLS = new Set<string>([...Object.values(addresses.pools), addresses.uniswap.v4PoolManager].map(toAddress))
/** What mints and burns the wrapped coin. */
const MINT = new Set<string>([toAddress(addresses.tokens.WETH), ZERO_ADDRESS])

const ALLOWANCE = parseAbi(['function allowance(address owner, address spender)'])
const PERMIT2_ALLOWANCE = parseAbi(['function allowance(address owner, address token, address spender)'])

export type Options = Readonly<{
  /** What is different from the chain. */
  overrides?: Overrides
  /**
   * The router holds what others left there. It may then pay with that, and sweep it along: still no more leaves the
   * wallet and no less arrives than is declared, and nobody undeclared gets anything.
   */
  leftovers?: boolean
  /** Permits may not be what the wallet signed: a plan that goes on without one gives no right by it. */
  forged?: boolean
  /** Pools beside the chain's own. */
  pools?: readonly Address[]
}>

/** Decodes a transaction of the scene's wallet, runs it, and says where both differ. */
export async function compare(scene: Scene, tx: Encoded, options: Options = {}): Promise<Outcome> {
  const { overrides = {} } = options
  const { chain, wallet } = scene
  const decoded = decode({ ...tx, chainId: chain.chainId }, wallet)
  const call = { ...tx, from: wallet }
  if (!decoded.ok) {
    const observed = await observe(chain, call, [wallet], { overrides })
    return { what: 'refused', reason: decoded.reason, executes: observed.ok }
  }
  const action = decoded.value
  const flows = action.legs.flatMap((leg) => [...leg.spends, ...leg.receives])
  const grants = action.legs
    .flatMap((leg) => leg.grants.map((grant) => ({ ...grant, venue: leg.venue })))
    .filter(({ asset, venue }) => venue === 'permit2' || isToken(asset))
  const parties = [wallet, call.to, ...flows.map(({ party }) => party)]
  const questions = grants.map(allowanceOf)
  const observed = await observe(chain, call, parties, { overrides, questions })
  if (!observed.ok) return { what: 'reverted', reason: observed.reason }
  const rights = grants.flatMap((grant, i) => grantFault(grant, observed.answers[i], action, options))
  return { what: 'compared', action, faults: [...flowFaults(action, observed, options), ...rights] }
}

type Declared = Readonly<{ least: bigint; most: bigint | null }>

/** What a party's balance may change by, from all flows that name it: what leaves counts against what arrives. */
function declared(action: DecodedAction): Map<string, Declared> {
  const sums = new Map<string, Declared>()
  const add = ({ asset, party }: Flow, least: bigint, most: bigint | null) => {
    const key = `${asset} ${party}`
    const before = sums.get(key) ?? { least: 0n, most: 0n }
    sums.set(key, {
      least: before.least + least,
      most: before.most === null || most === null ? null : before.most + most,
    })
  }
  for (const leg of action.legs) {
    // Where at most so much leaves, more of it may come back in the end, as from two swaps against each other.
    for (const flow of leg.spends) add(flow, -flow.amount, flow.bound === 'exact' ? -flow.amount : null)
    for (const flow of leg.receives) add(flow, flow.amount, flow.bound === 'exact' ? flow.amount : null)
  }
  return sums
}

/**
 * Nothing may leave or arrive that is not declared, but what the wallet gets back of an asset that it sent, beyond what
 * it sent.
 */
function flowFaults(
  action: DecodedAction,
  { changes, sent }: Observed & Readonly<{ ok: true }>,
  { leftovers = false, pools = [] }: Options,
): readonly string[] {
  const sums = declared(action)
  const faults: string[] = []
  const traders = new Set<string>([...POOLS, ...pools])
  for (const key of new Set([...sums.keys(), ...changes.keys()])) {
    const change = changes.get(key) ?? 0n
    const said = sums.get(key)
    const party = key.split(' ')[1] ?? ''
    if (traders.has(party) || (leftovers && party === action.target)) continue
    if (said === undefined) {
      const back = party === action.wallet && change > 0n && (leftovers || sent.has(key))
      if (!MINT.has(party) && !back) faults.push(`${key}: ${change} is not declared`)
    } else if (
      isToken(key.split(' ')[0]) &&
      (change < said.least || (said.most !== null && change > said.most && !leftovers))
    )
      faults.push(`${key}: ${change} is not between ${said.least} and ${said.most}`)
  }
  return faults
}

/** The chain's tokens, and its pools of version 2, which are tokens of their own shares. */
const ASSETS = new Set<string>([...Object.values(addresses.tokens), ...Object.values(addresses.pools)].map(toAddress))

/** Whether an asset is one of the chain's: what is declared of any other address is for the checks of its identity. */
function isToken(asset: string | undefined): boolean {
  return asset === 'native' || ASSETS.has(asset ?? '')
}

function allowanceOf({ asset, owner, spender, venue }: Grant & Readonly<{ venue: string }>): Question {
  if (venue !== 'permit2') return { to: asset, data: encodeFunctionData({ abi: ALLOWANCE, args: [owner, spender] }) }
  const data = encodeFunctionData({ abi: PERMIT2_ALLOWANCE, args: [owner, asset, spender] })
  return { to: addresses.uniswap.permit2, data }
}

/** A right that the router is given and uses in the same plan may be smaller afterwards. */
function grantFault(
  { amount, spender, expiresAt, venue, asset }: Grant & Readonly<{ venue: string }>,
  answers: Answers | undefined,
  { target }: DecodedAction,
  { forged = false }: Options,
): readonly string[] {
  if (answers === undefined) return ['it was not asked']
  if (forged && answers.after === answers.before) return []
  const [left, until] =
    venue === 'permit2'
      ? decodeAbiParameters(parseAbiParameters('uint160, uint48, uint48'), answers.after)
      : [...decodeAbiParameters(parseAbiParameters('uint256'), answers.after), null]
  const used = spender === target && left <= amount
  if (left !== amount && !used) return [`${spender} may spend ${left} of ${asset}, not ${amount}`]
  if (amount > 0n && until !== expiresAt) return [`the right of ${spender} ends at ${until}, not ${expiresAt}`]
  return []
}

/** The net changes of an account, for messages and for tests of one action. */
export function changesOf(changes: Changes, party: Address): ReadonlyMap<string, bigint> {
  return new Map(
    [...changes].flatMap(([key, amount]) => (key.endsWith(` ${party}`) ? [[key.split(' ')[0] ?? '', amount]] : [])),
  )
}

// Compares what a decoded lending action declares with what Aave's contracts did: what left and arrived by transfers, what
// was deposited and owed by the balances of aTokens and debt tokens, what may be spent by allowances.
import { decodeAbiParameters, encodeFunctionData, type Hex, maxUint256, parseAbi, parseAbiParameters } from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import type { LocalChain } from '../../scripts/local-chain/index.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '../../src/lib/address.ts'
import type { Result } from '../../src/lib/result.ts'
import type { Leg, PositionChange } from '../../src/policy/decoded-action.ts'
import type { Encoded } from '../support/encode.ts'
import type { Outcome } from './agreement.ts'
import { type Answers, type Overrides, observe, type Question } from './observe.ts'

const ABI = parseAbi([
  'function balanceOf(address)',
  'function allowance(address, address)',
  'function borrowAllowance(address, address)',
])

const { tokens, aave } = addresses
const A_TOKENS = new Map([
  [toAddress(tokens.WETH), aave.aWETH],
  [toAddress(tokens.USDC), aave.aUSDC],
  [toAddress(tokens.DAI), aave.aDAI],
])
const DEBT_TOKENS = new Map([
  [toAddress(tokens.WETH), aave.debtWETH],
  [toAddress(tokens.USDC), aave.debtUSDC],
  [toAddress(tokens.DAI), aave.debtDAI],
])
/** Where the pool keeps what is deposited, and what mints and burns. */
const VENUE = new Set<string>([...[...A_TOKENS.values(), ...DEBT_TOKENS.values()].map(toAddress), ZERO_ADDRESS])
/** What is deposited or owed is kept in parts that interest grows, and rounded to them. */
const ROUNDING = 2n

type Range = Readonly<{ least: bigint; most: bigint }>
type Account = Readonly<{ side: PositionChange['side']; asset: Address; party: Address; token: Address }>

/** What a transaction of a wallet is said to be. */
export type Reading = (tx: Encoded) => Result<readonly Leg[]>

/** Reads a transaction, runs it, and says where both differ. `parties` are all whose accounts could change. */
export async function compareLending(
  chain: LocalChain,
  { wallet, parties, read }: Readonly<{ wallet: Address; parties: readonly Address[]; read: Reading }>,
  tx: Encoded,
  overrides: Overrides = {},
): Promise<Readonly<{ what: Outcome['what']; executes?: boolean; faults: readonly string[] }>> {
  const legs = read(tx)
  const call = { ...tx, from: wallet }
  if (!legs.ok) {
    const observed = await observe(chain, call, [wallet], { overrides })
    return { what: 'refused', executes: observed.ok, faults: [] }
  }
  const accounts = parties.flatMap(accountsOf)
  const grants = legs.value.flatMap((leg) => leg.grants)
  const balances = accounts.map(({ token, party }) => question(token, 'balanceOf', [party]))
  const rights = grants.map(({ asset, owner, spender }) =>
    question(asset, isDebt(asset) ? 'borrowAllowance' : 'allowance', [owner, spender]),
  )
  const questions = [...balances, ...rights]
  const observed = await observe(chain, call, parties, { overrides, questions })
  if (!observed.ok) return { what: 'reverted', faults: [] }
  const flows = flowFaults(legs.value, observed.changes)
  const positions = accounts.flatMap((account, i) => positionFault(legs.value, account, observed.answers[i]))
  const granted = grants.flatMap(({ amount, spender }, i) => {
    const left = wordOf(observed.answers[balances.length + i]?.after)
    const used = spender === toAddress(aave.pool) && left <= amount
    return left === amount || used ? [] : [`${spender} may spend ${left}, not ${amount}`]
  })
  return { what: 'compared', faults: [...flows, ...positions, ...granted] }
}

/** Nothing may leave or arrive but what is declared, aTokens and debt tokens aside, whose balances are compared. */
function flowFaults(legs: readonly Leg[], changes: ReadonlyMap<string, bigint>): readonly string[] {
  const declared = new Map<string, Range>()
  const add = (key: string, least: bigint, most: bigint) => {
    const before = declared.get(key) ?? { least: 0n, most: 0n }
    declared.set(key, { least: before.least + least, most: before.most + most })
  }
  for (const { spends, receives } of legs) {
    for (const { asset, party, amount, bound } of spends)
      add(`${asset} ${party}`, -amount, bound === 'exact' ? -amount : 0n)
    for (const { asset, party, amount, bound } of receives)
      add(`${asset} ${party}`, amount, bound === 'exact' ? amount : maxUint256)
  }
  return [...new Set([...declared.keys(), ...changes.keys()])].flatMap((key) => {
    const [asset = '', party = ''] = key.split(' ')
    if (VENUE.has(asset) || VENUE.has(party)) return []
    const { least, most } = declared.get(key) ?? { least: 0n, most: 0n }
    const change = changes.get(key) ?? 0n
    return change >= least && change <= most ? [] : [`${key}: ${change} is not between ${least} and ${most}`]
  })
}

function positionFault(legs: readonly Leg[], account: Account, answers: Answers | undefined): readonly string[] {
  const before = wordOf(answers?.before)
  const change = wordOf(answers?.after) - before
  let [least, most] = [0n, 0n]
  for (const { kind, positions = [] } of legs)
    for (const one of positions) {
      if (one.side !== account.side || one.asset !== account.asset || one.party !== account.party) continue
      const amount = one.amount ?? before
      // What is paid back is at most the amount, and no more than is owed.
      const exact = kind !== 'repay' && one.amount !== null
      if (one.change === 'increase') [least, most] = [least + amount, most + amount]
      else [least, most] = [least - amount, exact ? most - amount : most]
    }
  const { side, asset, party } = account
  if (change >= least - ROUNDING && change <= most + ROUNDING) return []
  return [`${side} of ${asset} by ${party}: ${change} is not between ${least} and ${most}`]
}

function accountsOf(party: Address): readonly Account[] {
  const side = (name: PositionChange['side'], list: ReadonlyMap<Address, string>) =>
    [...list].map(([asset, token]) => ({ side: name, asset, party, token: toAddress(token) }))
  return [...side('supply', A_TOKENS), ...side('debt', DEBT_TOKENS)]
}

function isDebt(asset: Address): boolean {
  return [...DEBT_TOKENS.values()].some((token) => toAddress(token) === asset)
}

function question(
  to: Address,
  functionName: 'balanceOf' | 'allowance' | 'borrowAllowance',
  args: readonly Address[],
): Question {
  return { to, data: encodeFunctionData({ abi: ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0]) }
}

function wordOf(answer: Hex | undefined): bigint {
  return answer === undefined || answer === '0x' ? 0n : decodeAbiParameters(parseAbiParameters('uint256'), answer)[0]
}

// What the decoder of ERC-4626 vaults says, against what the vault of the local chain does. The vault is a stand-in, written
// after the standard alone; what is compared is that assets, shares and parties are the ones that the bytes name.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import {
  decodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  parseEther,
  parseUnits,
} from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '../../src/lib/address.ts'
import { decode } from '../../src/policy/decode.ts'
import type { Leg } from '../../src/policy/decoded-action.ts'
import { createWallet } from '../local-chain/wallet.ts'
import { type Encoded, erc20Approve, erc20Transfer, tokens } from '../support/encode.ts'
import { vaultCall } from '../support/encode-lending.ts'
import { mutated } from '../support/mutate.ts'
import { volume } from '../support/volume.ts'
import { type Answers, observe } from './observe.ts'

const RUNS = volume(200, 3_000)
const SEED = 20_261_121
const FRIEND = toAddress('0xF700000000000000000000000000000000000057')
const VAULT = toAddress(addresses.vaults.steakUSDC)
const USDC = toAddress(tokens.USDC)
const ABI = parseAbi(['function balanceOf(address)', 'function totalAssets()', 'function totalSupply()'])

let chain: LocalChain
let wallet: Address
let lender: Address

before(async () => {
  chain = await startLocalChain()
  const [owner, other] = [createWallet(chain), createWallet(chain)]
  for (const one of [owner, other]) {
    await chain.fund(one.address, { native: parseEther('10'), tokens: { USDC: parseUnits('1000000', 6) } })
    for (const call of [
      erc20Approve({ token: USDC, spender: VAULT, amount: maxUint256 }),
      erc20Approve({ token: VAULT, spender: owner.address, amount: maxUint256 }),
      vaultCall('deposit', [parseUnits('100000', 6), one.address], VAULT),
    ])
      await one.send(call.to, call.data)
  }
  wallet = toAddress(owner.address)
  lender = toAddress(other.address)
})
after(() => chain?.stop())

const assets = fc.oneof(fc.bigInt(1n, 10n ** 6n), fc.bigInt(1n, 2n * 10n ** 11n))
const shares = fc.oneof(fc.bigInt(1n, 10n ** 18n), fc.bigInt(1n, 2n * 10n ** 23n))

function arbitraryAction(): Arbitrary<Encoded> {
  const anybody = fc.constantFrom(wallet, wallet, FRIEND, lender)
  const owner = fc.constantFrom(wallet, wallet, lender)
  return fc
    .oneof(
      fc.tuple(assets, anybody).map((args) => vaultCall('deposit', args, VAULT)),
      fc.tuple(shares, anybody).map((args) => vaultCall('mint', args, VAULT)),
      fc.tuple(assets, anybody, owner).map((args) => vaultCall('withdraw', args, VAULT)),
      fc.tuple(shares, anybody, owner).map((args) => vaultCall('redeem', args, VAULT)),
      fc.tuple(shares, anybody).map(([amount, to]) => erc20Transfer({ token: VAULT, to, amount })),
    )
    .map((tx) => ({ ...tx, protocol: 'erc4626' }))
}

type Tally = Record<'compared' | 'reverted' | 'refused' | 'executes', number>

async function compareAll(actions: readonly Encoded[]): Promise<Tally> {
  const tally = { compared: 0, reverted: 0, refused: 0, executes: 0 }
  const parties = [wallet, FRIEND, lender]
  const ask = (functionName: 'balanceOf' | 'totalAssets' | 'totalSupply', args: readonly Address[] = []) => ({
    to: VAULT,
    data: encodeFunctionData({ abi: ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0]),
  })
  const questions = [ask('totalAssets'), ask('totalSupply'), ...parties.map((party) => ask('balanceOf', [party]))]
  for (const tx of actions) {
    const decoded = decode({ ...tx, chainId: 1 }, wallet)
    const observed = await observe(chain, { ...tx, from: wallet }, parties, { questions })
    if (!decoded.ok) {
      tally.refused += 1
      if (observed.ok) tally.executes += 1
    } else if (!observed.ok) tally.reverted += 1
    else {
      tally.compared += 1
      const { legs } = decoded.value
      const faults = [
        ...flowFaults(legs, observed.changes),
        ...parties.flatMap((party, i) => positionFault(legs, party, observed.answers, i)),
      ]
      assert.deepEqual(faults, [], `seed ${SEED}: ${tx.description}, to ${tx.to}, ${tx.data}`)
    }
  }
  return tally
}

function flowFaults(legs: readonly Leg[], changes: ReadonlyMap<string, bigint>): readonly string[] {
  const declared = new Map<string, readonly [least: bigint, most: bigint]>()
  for (const { spends, receives } of legs) {
    for (const { asset, party, amount } of spends) add(`${asset} ${party}`, -amount, -amount)
    for (const { asset, party, amount, bound } of receives)
      add(`${asset} ${party}`, amount, bound === 'exact' ? amount : maxUint256)
  }
  function add(key: string, least: bigint, most: bigint): void {
    const [a, b] = declared.get(key) ?? [0n, 0n]
    declared.set(key, [a + least, b + most])
  }
  const positions = legs.some((leg) => leg.positions)
  return [...new Set([...declared.keys(), ...changes.keys()])].flatMap((key) => {
    const [asset, party] = key.split(' ')
    // Shares that a deposit makes or a withdrawal takes are compared as what the position changes by.
    if (party === VAULT || party === ZERO_ADDRESS || (asset === VAULT && positions)) return []
    const [least, most] = declared.get(key) ?? [0n, 0n]
    const change = changes.get(key) ?? 0n
    return change >= least && change <= most ? [] : [`${key}: ${change} is not between ${least} and ${most}`]
  })
}

/** The change of somebody's shares, at the rate before, is that of the assets which are declared: to a unit, as it rounds. */
function positionFault(
  legs: readonly Leg[],
  party: Address,
  answers: readonly Answers[],
  i: number,
): readonly string[] {
  const [total, supply] = [wordOf(answers[0]?.before), wordOf(answers[1]?.before)]
  const had = wordOf(answers[2 + i]?.before)
  const change = wordOf(answers[2 + i]?.after) - had
  let [least, most] = [0n, 0n]
  const positions = legs.flatMap((leg) => leg.positions ?? []).filter((one) => one.party === party)
  if (positions.length === 0 && legs.some(({ kind }) => kind === 'transfer')) return []
  for (const one of positions) {
    assert.deepEqual([one.market, one.asset, one.side], [VAULT, USDC, 'supply'])
    const amount = one.amount ?? (had * total) / supply
    if (one.change === 'increase') [least, most] = [least + amount, most + amount]
    else [least, most] = [least - amount, one.amount === null ? most : most - amount]
  }
  const worth = (change * total) / supply
  if (worth >= least - 2n && worth <= most + 2n) return []
  return [`deposit of ${party}: ${worth} is not between ${least} and ${most}`]
}

function wordOf(answer: Hex | undefined): bigint {
  return decodeAbiParameters(parseAbiParameters('uint256'), answer ?? '0x')[0]
}

const sample = <T>(arbitrary: Arbitrary<T>): readonly T[] => fc.sample(arbitrary, { numRuns: RUNS, seed: SEED })

describe('the decoder and a vault agree', () => {
  test('on random actions; what names shares to be paid for is refused', async () => {
    const tally = await compareAll(sample(arbitraryAction()))
    console.log('  vault:', tally)
    assert.ok(tally.compared > RUNS / 2)
    assert.ok(tally.executes > 0 && tally.executes <= tally.refused)
  })

  test('on actions with one thing changed', async () => {
    const others = [wallet, FRIEND, lender, VAULT, USDC]
    const tally = await compareAll(sample(arbitraryAction().chain((tx) => mutated(tx, others))))
    console.log('  vault, changed:', tally)
    assert.ok(tally.compared > RUNS / 10)
  })

  test('a share costs what the vault says: the same bytes bring less after a donation', async () => {
    // The inflation attack: no byte of a deposit says how many shares it must bring.
    const call = vaultCall('deposit', [parseUnits('100', 6), wallet], VAULT)
    const sharesOf = async () => {
      const observed = await observe(chain, { ...call, from: wallet }, [wallet])
      return observed.ok ? (observed.changes.get(`${VAULT} ${wallet}`) ?? 0n) : 0n
    }
    const fair = await sharesOf()
    const id = await chain.snapshot()
    await chain.fund(VAULT, { tokens: { USDC: parseUnits('100000000', 6) } })
    assert.ok((await sharesOf()) < fair / 10n)
    await chain.revert(id)
    assert.equal(await sharesOf(), fair)
  })
})

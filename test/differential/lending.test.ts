// What the decoder of Aave's contracts says, against what those contracts do.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { type Hex, maxUint256, padHex, parseEther, parseSignature, parseUnits } from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type Address, toAddress } from '../../src/lib/address.ts'
import { ok } from '../../src/lib/result.ts'
import { decode } from '../../src/policy/decode.ts'
import { callPool } from '../../src/policy/decoders/aave-pool/functions.ts'
import { lendingPoolAt } from '../../src/registry/index.ts'
import { createWallet, type Wallet } from '../local-chain/wallet.ts'
import { arbitraryLending, arbitraryPacked, type LendingCast } from '../support/arbitrary-lending.ts'
import { type Encoded, erc20Approve, tokens } from '../support/encode.ts'
import { debtCall, poolCall } from '../support/encode-lending.ts'
import { mutated } from '../support/mutate.ts'
import { volume } from '../support/volume.ts'
import { compareLending, type Reading } from './lending-agreement.ts'
import type { Overrides } from './observe.ts'

const RUNS = volume(250, 3_000)
const SEED = Number(process.env['DIFFERENTIAL_SEED'] ?? 20_261_121)
const FRIEND = toAddress('0xF700000000000000000000000000000000000057')
const { aave } = addresses
/** Where a proxy keeps the address of its code (EIP-1967). */
const IMPLEMENTATION: Hex = '0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc'

let chain: LocalChain
let cast: LendingCast
let wallet: Address

before(async () => {
  chain = await startLocalChain()
  const [owner, lender] = [createWallet(chain), createWallet(chain)]
  for (const one of [owner, lender]) await enter(one)
  await send(owner, poolCall('borrow', [tokens.DAI, parseEther('100000'), 2n, 0, owner.address]))
  await send(owner, poolCall('borrow', [tokens.WETH, parseEther('10'), 2n, 0, owner.address]))
  await send(lender, poolCall('borrow', [tokens.DAI, parseEther('5000'), 2n, 0, lender.address]))
  for (const token of [aave.debtWETH, aave.debtUSDC, aave.debtDAI])
    await send(lender, debtCall('approveDelegation', [owner.address, parseEther('1000000')], token))
  for (const token of [aave.aWETH, aave.aUSDC, aave.aDAI])
    await send(lender, erc20Approve({ token, spender: owner.address, amount: maxUint256 }))
  wallet = toAddress(owner.address)
  cast = { wallet, friend: FRIEND, lender: toAddress(lender.address), permits: await signPermits(owner) }
  // Interest: what is owed and deposited is no round number any more.
  await chain.increaseTime(30 * 86_400)
})
after(() => chain?.stop())

const send = ({ send: sendFrom }: Wallet, { to, data }: Encoded) => sendFrom(to, data)

/** Tokens, approvals, and deposits of all three assets. */
async function enter(one: Wallet): Promise<void> {
  const wealth = { USDC: parseUnits('10000000', 6), DAI: parseEther('10000000'), WETH: parseEther('10000') }
  await chain.fund(one.address, { native: parseEther('1000'), tokens: wealth })
  for (const symbol of ['USDC', 'DAI', 'WETH'] as const) {
    await send(one, erc20Approve({ token: tokens[symbol], spender: aave.pool, amount: maxUint256 }))
    await send(one, poolCall('supply', [tokens[symbol], wealth[symbol] / 10n, one.address, 0]))
  }
}

async function signPermits({ account }: Wallet): Promise<LendingCast['permits']> {
  const deadline = maxUint256
  const types = {
    Permit: [
      { name: 'owner', type: 'address' },
      { name: 'spender', type: 'address' },
      { name: 'value', type: 'uint256' },
      { name: 'nonce', type: 'uint256' },
      { name: 'deadline', type: 'uint256' },
    ],
  }
  const names: Readonly<Record<string, string>> = { [tokens.USDC]: 'USD Coin', [tokens.DAI]: 'Dai Stablecoin' }
  const wanted = Object.keys(names).flatMap((asset) => [5n, 10n ** 9n, 10n ** 20n].map((amount) => ({ asset, amount })))
  return Promise.all(
    wanted.map(async ({ asset, amount }) => {
      const verifyingContract = asset as Address
      const domain = { name: names[asset], version: '1', chainId: 1, verifyingContract }
      const message = { owner: account.address, spender: aave.pool, value: amount, nonce: 0n, deadline }
      const { v, r, s } = parseSignature(await account.signTypedData({ domain, types, primaryType: 'Permit', message }))
      return { asset: verifyingContract, amount, deadline, signature: [Number(v), r, s] as const }
    }),
  )
}

const plain: Reading = (tx) => {
  const decoded = decode({ ...tx, chainId: 1 }, wallet)
  return decoded.ok ? ok(decoded.value.legs) : decoded
}

/** The pool as it would be on a rollup, its three assets numbered as they are here. */
const packed: Reading = ({ data }) => {
  const pool = lendingPoolAt(1, toAddress(aave.pool))
  assert.ok(pool)
  const assets = [tokens.WETH, tokens.USDC, tokens.DAI].map(toAddress)
  const reserves = pool.reserves.flatMap((one) => {
    const id = assets.indexOf(one.asset)
    return id < 0 ? [] : [{ ...one, id }]
  })
  const legs = callPool(data, { pool: { ...pool, packed: true, reserves }, wallet, depth: 0 })
  return legs.ok ? ok(legs.value.value) : legs
}
const onRollup: Overrides = {
  [aave.pool]: { stateDiff: { [IMPLEMENTATION]: padHex(aave.l2PoolImplementation, { size: 32 }) } },
}

type Tally = Record<'compared' | 'reverted' | 'refused' | 'executes', number>

async function compareAll(actions: readonly Encoded[], read: Reading, overrides: Overrides = {}): Promise<Tally> {
  const tally = { compared: 0, reverted: 0, refused: 0, executes: 0 }
  const parties = [wallet, FRIEND, cast.lender].map(toAddress)
  for (const tx of actions) {
    const { what, executes, faults } = await compareLending(chain, { wallet, parties, read }, tx, overrides)
    tally[what] += 1
    if (executes) tally.executes += 1
    assert.deepEqual(faults, [], `seed ${SEED}: ${tx.description}, value ${tx.value}, to ${tx.to}, ${tx.data}`)
  }
  return tally
}

function report(what: string, { compared, reverted, refused, executes }: Tally): void {
  const refusals = `${refused} refused (${executes} would execute)`
  console.log(`  ${what}: ${compared} agree, ${reverted} reverted, ${refusals}; seed ${SEED}`)
}

const sample = <T>(arbitrary: Arbitrary<T>, numRuns = RUNS): readonly T[] =>
  fc.sample(arbitrary, { numRuns, seed: SEED })

describe('the decoder and Aave’s contracts agree', () => {
  test('on random actions', async () => {
    const tally = await compareAll(sample(arbitraryLending(cast)), plain)
    report('Aave', tally)
    assert.ok(tally.compared > RUNS / 2, 'most actions are decoded and execute')
    assert.ok(tally.executes < RUNS / 20, 'few that would execute are refused')
  })

  test('on actions with one thing changed', async () => {
    const others = [wallet, FRIEND, cast.lender, ...Object.values(tokens), ...Object.values(aave)]
    const tally = await compareAll(sample(arbitraryLending(cast).chain((tx) => mutated(tx, others))), plain)
    report('Aave, changed', tally)
    assert.ok(tally.compared > RUNS / 10)
  })

  test('on arguments packed into one word, of a rollup’s pool', async () => {
    const tally = await compareAll(sample(arbitraryPacked), packed, onRollup)
    report('Aave, packed', tally)
    assert.ok(tally.compared > RUNS / 3, 'many actions are decoded and execute')
    assert.ok(tally.executes === 0 || tally.executes < RUNS / 10)
  })

  test('on packed arguments with one thing changed', async () => {
    const changed = sample(arbitraryPacked.chain((tx) => mutated(tx, [wallet])))
    report('Aave, packed and changed', await compareAll(changed, packed, onRollup))
  })
})

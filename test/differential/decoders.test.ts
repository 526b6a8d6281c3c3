// What the decoders say, against what the venues' own contracts do: random actions, then the same with one thing changed.
// DIFFERENTIAL_SEED tries other ones; TEST_VOLUME=full many more.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import fc, { type Arbitrary } from 'fast-check'
import { type Address, encodeAbiParameters, type Hex, keccak256, numberToHex, padHex, parseAbiParameters } from 'viem'
import { ACTION_KINDS, arbitraryActions } from '../support/arbitrary-actions.ts'
import { type Encoded, tokens, uniswap } from '../support/encode.ts'
import { mutated } from '../support/mutate.ts'
import { volume } from '../support/volume.ts'
import { compare, type Options, type Outcome } from './agreement.ts'
import type { Overrides } from './observe.ts'
import { type Scene, setScene } from './scene.ts'

/** Of each kind in each test: at full volume 14,000 actions in all. */
const RUNS = volume(80, 1000)
const SEED = Number(process.env.DIFFERENTIAL_SEED ?? 20_261_121)
/** Routers that hold something while they run. */
const HOLDERS = ['swapRouter02', 'universalRouter', 'v2Router02', 'v3SwapRouter'] as const

let scene: Scene

before(async () => {
  scene = await setScene()
})
after(() => scene?.stop())

type Tally = Readonly<Record<'compared' | 'reverted' | 'refused' | 'executes', number>>

/** Compares every action; the first that differs fails the test with all that is needed to look at it. */
async function compareAll(actions: readonly Encoded[], options: Options = {}): Promise<Tally> {
  const tally = { compared: 0, reverted: 0, refused: 0, executes: 0 }
  for (const tx of actions) {
    const outcome = await compare(scene, tx, options)
    tally[outcome.what] += 1
    if (outcome.what === 'refused' && outcome.executes) tally.executes += 1
    assert.deepEqual(
      faultsOf(outcome),
      [],
      `seed ${SEED}: ${tx.description}, value ${tx.value}, to ${tx.to}, ${tx.data}`,
    )
  }
  return tally
}

function faultsOf(outcome: Outcome): readonly string[] {
  return outcome.what === 'compared' ? outcome.faults : []
}

const sample = <T>(arbitrary: Arbitrary<T>, numRuns = RUNS): readonly T[] =>
  fc.sample(arbitrary, { numRuns, seed: SEED })

function report(what: string, count: number, { compared, reverted, refused, executes }: Tally): void {
  const share = (n: number) => `${Math.round((100 * n) / count)} %`
  const vacuous = `${share(reverted)} reverted, ${share(refused)} refused (${share(executes)} would execute)`
  console.log(`  ${what}: ${share(compared)} of ${count} agree, ${vacuous}; seed ${SEED}`)
}

describe('decoders and chain agree', () => {
  for (const kind of ACTION_KINDS)
    test(`on random actions: ${kind}`, async () => {
      const actions = sample(arbitraryActions(scene.cast)[kind])
      const tally = await compareAll(actions)
      report(kind, actions.length, tally)
      assert.ok(tally.compared > actions.length / 2, 'most actions are decoded and execute')
    })

  for (const kind of HOLDERS)
    test(`beside what others left in the router: ${kind}`, async () => {
      const actions = sample(arbitraryActions(scene.cast)[kind])
      report(kind, actions.length, await compareAll(actions, { overrides: leftovers(), leftovers: true }))
    })

  for (const kind of ACTION_KINDS)
    test(`on actions that execute, with one thing changed: ${kind}`, async () => {
      const action = arbitraryActions(scene.cast)[kind]
      const changes = sample(action.chain((tx) => mutated(tx, addresses()).map((after) => ({ tx, after }))))
      const executable: Encoded[] = []
      for (const { tx, after } of changes) {
        const outcome = await compare(scene, tx)
        if (outcome.what === 'compared') executable.push(after)
      }
      report(`changed ${kind}`, executable.length, await compareAll(executable, { forged: true }))
    })
})

/** Addresses that a hostile author would write into an action. */
function addresses(): readonly Address[] {
  const { wallet, lender, friends } = scene.cast
  return [wallet, lender, ...friends, ...Object.values(tokens), ...Object.values(uniswap)]
}

/** Where the tokens of the local chain keep balances: the slot of the mapping, equal in all three. */
const BALANCES = 3n
const LEFT = { WETH: 5n * 10n ** 17n, USDC: 500_000_000n, DAI: 5n * 10n ** 20n }

function leftovers(): Overrides {
  const { swapRouter02, universalRouter20, universalRouter21, v2Router02, v3SwapRouter } = uniswap
  const routers = [swapRouter02, universalRouter20, universalRouter21, v2Router02, v3SwapRouter]
  const slot = (owner: Address) =>
    keccak256(encodeAbiParameters(parseAbiParameters('address, uint256'), [owner, BALANCES]))
  const word = (amount: bigint): Hex => padHex(numberToHex(amount), { size: 32 })
  return Object.fromEntries([
    ...routers.map((router) => [router, { balance: numberToHex(3n * 10n ** 17n) }]),
    ...(['WETH', 'USDC', 'DAI'] as const).map((symbol) => [
      tokens[symbol],
      { stateDiff: Object.fromEntries(routers.map((router) => [slot(router), word(LEFT[symbol])])) },
    ]),
  ])
}

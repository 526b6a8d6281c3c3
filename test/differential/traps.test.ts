// Actions that are not what they look like, on the venues' own contracts: what a decoder must not believe is shown to
// happen, and the decoder declares it or refuses.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbi,
  parseSignature,
  zeroAddress,
} from 'viem'
import { readArtifact } from '../../scripts/local-chain/artifacts.ts'
import { toAddress } from '../../src/lib/address.ts'
import {
  type Encoded,
  erc20Approve,
  erc20IncreaseAllowance,
  mayFail,
  NATIVE,
  ROUTER,
  SENDER,
  srExactInputSingle,
  srMulticall,
  srPull,
  srRefundETH,
  srSelfPermit,
  srSweepTo,
  srUnwrap,
  srV2In,
  swapRouter02,
  tokens,
  uniswap,
  universalRouter,
  urBalanceCheck,
  urCollect,
  urPermit,
  urSweep,
  urV2Out,
  urV3In,
  type Version,
} from '../support/encode.ts'
import { urSubPlan } from '../support/encode-v4.ts'
import { changesOf, compare } from './agreement.ts'
import { type Overrides, observe } from './observe.ts'
import { HOSTILE, hostilePools, thinPool } from './pools.ts'
import { FRIEND, type Scene, setScene } from './scene.ts'

const { USDC, WETH, DAI } = tokens
const ALLOWANCE = parseAbi(['function allowance(address, address)'])
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n
const THIEF = toAddress('0xBad0000000000000000000000000000000000bad')

let scene: Scene
/** Pools that are made here. */
const pools: ReturnType<typeof toAddress>[] = []

before(async () => {
  scene = await setScene()
})
after(() => scene?.stop())

/** What the chain does: the wallet's and the router's balances after the transaction, or null where it reverts. */
async function run(tx: Encoded, overrides: Overrides = {}) {
  const call = { ...tx, from: scene.wallet }
  const observed = await observe(scene.chain, call, [scene.wallet, tx.to, THIEF, FRIEND], { overrides })
  if (!observed.ok) return null
  const of = (party: string, asset: string) =>
    changesOf(observed.changes, toAddress(party)).get(asset.toLowerCase()) ?? 0n
  return { wallet: (asset: string) => of(scene.wallet, asset), router: (asset: string) => of(tx.to, asset), of }
}

/** The decoded action, after making sure that the chain does as it says. */
async function agreed(tx: Encoded, overrides: Overrides = {}) {
  const outcome = await compare(scene, tx, { overrides, pools })
  assert.ok(outcome.what === 'compared', outcome.what === 'compared' ? '' : outcome.reason)
  assert.deepEqual(outcome.faults, [])
  return outcome.action
}

/** The reason of a refusal of what executes on the chain all the same. */
async function refusedThough(tx: Encoded, executes: boolean, overrides: Overrides = {}): Promise<string> {
  const outcome = await compare(scene, tx, { overrides })
  assert.ok(outcome.what === 'refused', outcome.what)
  assert.equal(outcome.executes, executes)
  return outcome.reason
}

const receivesOf = async (tx: Encoded, overrides: Overrides = {}) =>
  (await agreed(tx, overrides)).legs.flatMap((leg) =>
    leg.receives.map(({ asset, amount, party }) => ({ asset, amount, party })),
  )

const swapIn = (version: Version, recipient: Address, min: bigint) =>
  urV3In({ version, walletPays: true, recipient, amountIn: SOLD, min, tokens: [USDC, WETH], fees: [500] })

for (const version of ['2.0', '2.1'] satisfies Version[])
  describe(`Universal Router ${version}`, () => {
    const plan = (...commands: Parameters<typeof universalRouter>[0]['commands']) =>
      universalRouter({ version, commands })

    test('what a plan leaves in the router is declared as the router’s', async () => {
      const tx = plan(swapIn(version, ROUTER, 1n))
      assert.deepEqual(await receivesOf(tx), [{ asset: toAddress(WETH), amount: 1n, party: toAddress(tx.to) }])
    })

    test('a sweep’s minimum above 160 bits guards nothing, and is refused', async () => {
      const tx = plan(swapIn(version, ROUTER, 0n), urSweep({ token: WETH, to: SENDER, min: 1n << 160n }))
      assert.match(await refusedThough(tx, true), /bits beyond its width/)
      const guarded = plan(swapIn(version, ROUTER, 0n), urSweep({ token: WETH, to: SENDER, min: 1n << 159n }))
      assert.equal(await run(guarded), null)
    })

    test('the flag of failure does not weaken a sweep, and makes nothing of a balance check', async () => {
      const sweep = mayFail(urSweep({ token: WETH, to: SENDER, min: 10n * ETHER }))
      assert.equal(await run(plan(swapIn(version, ROUTER, 0n), sweep)), null)
      const check = mayFail(urBalanceCheck({ owner: scene.wallet, token: WETH, min: maxUint256 }))
      const tx = plan(swapIn(version, SENDER, 0n), check)
      assert.deepEqual(await receivesOf(tx), [{ asset: toAddress(WETH), amount: 0n, party: scene.wallet }])
    })

    test('a permit that was used before stops a plan, unless it may fail', async () => {
      const [{ permit, signature } = assert.fail()] = scene.cast.permits
      const used = urPermit({ permit: { ...permit, details: { ...permit.details, nonce: 5 } }, signature })
      assert.equal(await run(plan(used, swapIn(version, SENDER, 1n))), null)
      const gone = await compare(scene, plan(mayFail(used), swapIn(version, SENDER, 1n)), { forged: true })
      assert.ok(gone.what === 'compared')
      assert.deepEqual(gone.faults, [])
    })

    test('a guard in a sub-plan that may fail guards nothing', async () => {
      const collect = urCollect({ token: USDC, to: ROUTER, amount: SOLD })
      const held = urV3In({
        version,
        walletPays: false,
        recipient: ROUTER,
        amountIn: SOLD,
        min: 0n,
        tokens: [USDC, WETH],
        fees: [500],
      })
      const tx = (min: bigint) => plan(collect, mayFail(urSubPlan(held, urSweep({ token: WETH, to: SENDER, min }))))
      // It fails, the plan goes on, and anybody may take what stays in the router.
      const failed = await run(tx(10n * ETHER))
      assert.deepEqual([failed?.wallet(USDC), failed?.router(USDC), failed?.wallet(WETH)], [-SOLD, SOLD, 0n])
      const done = await run(tx(1n))
      assert.deepEqual([done?.wallet(USDC), done?.router(USDC)], [-SOLD, 0n])
      for (const min of [10n * ETHER, 1n]) {
        const [leg] = (await agreed(tx(min))).legs
        assert.deepEqual(
          leg.receives.map(({ asset, amount, bound, party }) => [asset, amount, bound, party]),
          [
            [toAddress(WETH), 0n, 'min', scene.wallet],
            [
              toAddress(USDC),
              0n,
              'min',
              toAddress(version === '2.0' ? uniswap.universalRouter20 : uniswap.universalRouter21),
            ],
          ],
        )
      }
    })

    test('dirty bits before an address are ignored by the contract, and refused here', async () => {
      const tx = plan(swapIn(version, SENDER, 1n))
      const clean = `${'0'.repeat(63)}1`
      const at = tx.data.indexOf(clean, 10 + 64 * 6)
      const data: Hex = `0x${tx.data.slice(2, at)}ff${tx.data.slice(at + 2)}`
      assert.match(await refusedThough({ ...tx, data }, true), /bits beyond its width/)
    })

    test('trailing bytes are ignored by the contract: few are counted, many refused', async () => {
      const tx = plan(swapIn(version, SENDER, 1n))
      assert.equal((await agreed({ ...tx, data: `${tx.data}${'ab'.repeat(512)}` })).trailingBytes, 512)
      assert.match(await refusedThough({ ...tx, data: `${tx.data}${'ab'.repeat(513)}` }, true), /513 bytes/)
    })

    test('the other version’s input executes, and is refused', async () => {
      const other = version === '2.0' ? '2.1' : '2.0'
      assert.match(await refusedThough(plan(swapIn(other, SENDER, 1n)), true), /not canonical|followed by/)
    })

    test('byte 0x40 is a swap to one version and a bridge to the other: both refuse it', async () => {
      const tx = plan({ ...swapIn(version, SENDER, 1n), byte: 0x40 })
      assert.match(await refusedThough(tx, version === '2.0'), /command 0 \(0x40\).*not decoded/)
    })

    test('an exact output of v2 through a token that keeps what it is told to pass on brings next to nothing', async () => {
      pools.push(...(await hostilePools(scene)))
      const path = [USDC, HOSTILE, WETH]
      const swap = urV2Out({ version, walletPays: true, recipient: SENDER, amountOut: ETHER, max: SOLD, path })
      const done = await run(plan(swap))
      assert.ok(done && done.wallet(USDC) < -100_000_000n && done.wallet(WETH) < ETHER / 100n)
      assert.deepEqual(await receivesOf(plan(swap)), [{ asset: toAddress(WETH), amount: 0n, party: scene.wallet }])
    })
  })

describe('SwapRouter02', () => {
  const single = { tokenIn: USDC, tokenOut: WETH, fee: 500, limit: 0n, amountIn: SOLD }
  const swapTo = (recipient: Address, min = 1n) => srExactInputSingle({ ...single, recipient, min })
  const batch = (value: bigint, ...calls: readonly Hex[]) => swapRouter02(srMulticall({ calls }), value)

  test('recipients 1 and 2 are the sender and the router, 0 burns', async () => {
    const received = async (recipient: Address) => (await receivesOf(swapRouter02(swapTo(recipient))))[0]?.party
    assert.equal(await received(SENDER), scene.wallet)
    assert.equal(await received(ROUTER), toAddress(uniswap.swapRouter02))
    assert.equal(await received(zeroAddress), zeroAddress)
    const burnt = await run(swapRouter02(swapTo(zeroAddress)))
    assert.ok(burnt && burnt.of(zeroAddress, WETH) > ETHER / 2n)
  })

  test('an amount of 0 sells all that the router holds, others’ too', async () => {
    const brought = batch(
      0n,
      srPull({ token: USDC, amount: SOLD }),
      srExactInputSingle({ ...single, amountIn: 0n, recipient: SENDER, min: 1n }),
    )
    const { legs } = await agreed(brought)
    assert.deepEqual(legs[0].spends, [{ asset: toAddress(USDC), amount: SOLD, bound: 'exact', party: scene.wallet }])
    await scene.chain.fund(uniswap.swapRouter02, { tokens: { USDC: 777n } })
    const others = swapRouter02(srExactInputSingle({ ...single, amountIn: 0n, recipient: SENDER, min: 1n }))
    assert.match(await refusedThough(others, true), /spends .* that the plan does not bring/)
    const stolen = await run(others)
    assert.equal(stolen?.router(USDC), -777n)
    const taken = await run(swapRouter02(srSweepTo({ token: USDC, min: 0n, recipient: THIEF })))
    assert.equal(taken?.of(THIEF, USDC), 777n)
  })

  test('native value that is not used stays, unless it is asked back', async () => {
    const sold = srExactInputSingle({
      ...single,
      tokenIn: WETH,
      tokenOut: USDC,
      amountIn: ETHER,
      recipient: SENDER,
      min: 1n,
    })
    assert.deepEqual((await receivesOf(batch(3n * ETHER, sold))).at(-1), {
      asset: 'native',
      amount: 2n * ETHER,
      party: toAddress(uniswap.swapRouter02),
    })
    const { legs } = await agreed(batch(3n * ETHER, sold, srRefundETH()))
    assert.deepEqual(legs[0].spends, [{ asset: 'native', amount: ETHER, bound: 'max', party: scene.wallet }])
  })

  test('batches in batches are one plan', async () => {
    const nested = srMulticall({ calls: [srMulticall({ calls: [srMulticall({ calls: [swapTo(ROUTER)] })] })] })
    const unwrapped = batch(0n, nested, srUnwrap({ min: 5n }))
    assert.deepEqual(await receivesOf(unwrapped), [{ asset: 'native', amount: 5n, party: scene.wallet }])
    const deeper = batch(0n, srMulticall({ calls: [nested] }), srUnwrap({ min: 5n }))
    assert.match(await refusedThough(deeper, true), /batches within batches/)
  })

  test('code of others in the middle of a batch takes what the router holds', async () => {
    const overrides = { [HOSTILE]: { code: takeAll(WETH) } }
    const word: Hex = `0x${'11'.repeat(32)}`
    const permit = srSelfPermit({ token: HOSTILE, amount: 1n, deadline: 1n, v: 27, r: word, s: word })
    const robbed = batch(0n, swapTo(ROUTER, ETHER / 2n), permit, srUnwrap({ min: 0n }))
    const done = await run(robbed, overrides)
    assert.ok(done && done.of(THIEF, WETH) > ETHER / 2n)
    assert.equal(done.wallet('native'), 0n)
    const outcome = await compare(scene, robbed, { overrides })
    assert.ok(outcome.what === 'compared')
    assert.deepEqual(
      outcome.action.legs.flatMap(({ receives }) => receives.map(({ amount }) => amount)),
      [0n],
    )
    const guarded = batch(0n, swapTo(ROUTER, ETHER / 2n), permit, srUnwrap({ min: 5n }))
    assert.equal(await run(guarded, overrides), null)
  })

  test('a permit signed for the router gives the right that is declared, and is spent in the same batch', async () => {
    const overrides = {}
    const { owner } = scene
    await owner.send(USDC, erc20Approve({ token: USDC, spender: uniswap.swapRouter02, amount: 0n }).data)
    const message = {
      owner: scene.wallet,
      spender: uniswap.swapRouter02,
      value: SOLD + 5n,
      nonce: 0n,
      deadline: maxUint256,
    }
    const fields = ['owner address', 'spender address', 'value uint256', 'nonce uint256', 'deadline uint256']
    const types = {
      Permit: fields.map((field) => ({ name: field.split(' ')[0] ?? '', type: field.split(' ')[1] ?? '' })),
    }
    const domain = { name: 'USD Coin', version: '1', chainId: 1, verifyingContract: USDC }
    const { r, s, yParity } = parseSignature(
      await owner.account.signTypedData({ domain, types, primaryType: 'Permit', message }),
    )
    const permit = srSelfPermit({ token: USDC, amount: SOLD + 5n, deadline: maxUint256, v: 27 + yParity, r, s })
    const { legs } = await agreed(batch(0n, permit, swapTo(SENDER)), overrides)
    assert.deepEqual(
      legs.map(({ kind }) => kind),
      ['approve', 'swap'],
    )
    assert.deepEqual(legs[0].grants[0]?.amount, SOLD + 5n)
    await owner.send(USDC, erc20Approve({ token: USDC, spender: uniswap.swapRouter02, amount: maxUint256 }).data)
  })
})

describe('tokens', () => {
  test('the wrapped coin takes any function that it does not have for a deposit: refused', async () => {
    const deposit: Encoded = { to: WETH, data: '0x12345678', value: '0x5', description: 'nothing', protocol: 'weth' }
    assert.equal((await run(deposit))?.wallet(WETH), 5n)
    assert.match(await refusedThough(deposit, true), /0x12345678 is not decoded/)
  })

  test('an increase adds what it says to an allowance', async () => {
    const { owner } = scene
    const artifact = readArtifact('@openzeppelin/contracts/build/contracts/ERC20.json')
    const data = encodeDeployData({ ...artifact, args: ['Token', 'TKN'] })
    const hash = await scene.chain.request('eth_sendTransaction', [{ from: await funded(), data, gas: '0x4c4b40' }])
    const receipt = await owner.reader.waitForTransactionReceipt({ hash: hash as Hex })
    assert.ok(receipt.contractAddress)
    const tx = erc20IncreaseAllowance({ token: receipt.contractAddress, spender: FRIEND, amount: 12n })
    const asked = encodeFunctionData({ abi: ALLOWANCE, args: [scene.wallet, FRIEND] })
    const questions = [{ to: tx.to, data: asked }]
    const { answers } = await observe(scene.chain, { ...tx, from: scene.wallet }, [], { questions })
    assert.deepEqual(
      answers.map(({ before, after }) => BigInt(after) - BigInt(before)),
      (await agreed(tx)).legs[0].grants.map(({ amount }) => amount),
    )
  })

  test('a pool of v3 that runs dry takes less than it is told to sell, and at most that is declared', async () => {
    pools.push(await thinPool(scene))
    for (const version of ['2.0', '2.1'] satisfies Version[]) {
      const sold = { version, walletPays: true, amountIn: 1_000_000_000_000n, min: 1n, recipient: SENDER }
      const tx = universalRouter({ version, commands: [urV3In({ ...sold, tokens: [USDC, DAI], fees: [500] })] })
      const done = await run(tx)
      assert.ok(done && done.wallet(USDC) < 0n && done.wallet(USDC) > -100_000_000_000n)
      const { legs } = await agreed(tx)
      assert.equal(legs[0].spends[0]?.bound, 'max')
    }
    const tx = swapRouter02(
      srExactInputSingle({
        tokenIn: USDC,
        tokenOut: DAI,
        fee: 500,
        limit: 0n,
        amountIn: 10n ** 12n,
        recipient: SENDER,
        min: 1n,
      }),
    )
    assert.equal((await agreed(tx)).legs[0].spends[0]?.bound, 'max')
    // Of v2, all of it is paid in.
    const whole = swapRouter02(srV2In({ amountIn: 10n ** 12n, min: 1n, path: [USDC, WETH], recipient: SENDER }))
    assert.equal((await agreed(whole)).legs[0].spends[0]?.bound, 'exact')
    assert.equal((await run(whole))?.wallet(NATIVE), 0n)
  })
})

/** An account of anvil's own, whose key the node has. */
async function funded(): Promise<string> {
  const [account = assert.fail()] = (await scene.chain.request('eth_accounts')) as readonly string[]
  return account
}

/** Code that answers every call by taking all of a token that SwapRouter02 holds. */
function takeAll(token: Address): Hex {
  const sweep = srSweepTo({ token, min: 0n, recipient: THIEF }).slice(2)
  const length = (sweep.length / 2).toString(16).padStart(2, '0')
  const router = uniswap.swapRouter02.slice(2).toLowerCase()
  const codeAt = (at: string) =>
    [
      `60${length}60${at}600039`, // codecopy(0, at, length)
      `6000600060${length}6000600073${router}5af1`, // call(gas, router, 0, 0, length, 0, 0)
      '00', // stop
    ].join('')
  const head = (codeAt('00').length / 2).toString(16).padStart(2, '0')
  return `0x${codeAt(head)}${sweep}`
}

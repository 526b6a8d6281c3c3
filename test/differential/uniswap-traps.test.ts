// Traps of version 4's books, of plans within plans and of the older routers, on their own contracts: what a decoder must
// not believe is shown to happen, and the decoder declares it or refuses.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import {
  type Address,
  encodeAbiParameters,
  encodeFunctionData,
  type Hex,
  maxUint256,
  parseAbi,
  parseAbiParameters,
  parseSignature,
  zeroAddress,
} from 'viem'
import { toAddress } from '../../src/lib/address.ts'
import type { Leg } from '../../src/policy/decoded-action.ts'
import {
  type Command,
  type Encoded,
  erc20Approve,
  NATIVE,
  ROUTER,
  SENDER,
  srExactInputSingle,
  srMulticall,
  srRefundETH,
  srSweepTo,
  swapRouter02,
  tokens,
  uniswap,
  universalRouter,
  urCollect,
  urSweep,
  urV2In,
  urV3In,
  type Version,
  WHOLE_BALANCE,
} from '../support/encode.ts'
import {
  unwrapFeeTo,
  v2Add,
  v2NativeSwap,
  v2Remove,
  v2RemoveNative,
  v2Swap,
  v3InSingle,
  v3OutSingle,
  v3SwapRouter,
} from '../support/encode-routers.ts'
import {
  type Action,
  poolKey,
  urV4,
  v4In,
  v4InSingle,
  v4Out,
  v4OutSingle,
  v4Settle,
  v4SettleAll,
  v4Take,
  v4TakeAll,
  v4TakePortion,
} from '../support/encode-v4.ts'
import { changesOf, compare } from './agreement.ts'
import { type Overrides, observe } from './observe.ts'
import { bookPool, HOSTILE, hostilePools } from './pools.ts'
import { FRIEND, type Scene, setScene } from './scene.ts'

const { USDC, WETH, DAI } = tokens
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n
const THIEF = toAddress('0xBad0000000000000000000000000000000000bad')
/** Its last bits say that it has a turn after each swap, and may take of what is bought. */
const HOOKS: Address = '0x4000000000000000000000000000000000000044'
const EVEN = 79228162514264337593543n // sqrt(10^-12) * 2^96: a millionth of 2^96

const thin = poolKey(DAI, USDC, 500, 10)
const hooked = { ...poolKey(USDC, WETH, 500, 10), hooks: HOOKS }

let scene: Scene
const pools: ReturnType<typeof toAddress>[] = []

before(async () => {
  scene = await setScene()
  // Some thousand dollars in a narrow range, and nothing outside of it.
  await bookPool(scene, thin, { price: EVEN, ticks: [-276_340, -276_310], liquidity: 5n * 10n ** 18n })
  await scene.chain.request('anvil_setCode', [HOOKS, taker(WETH, ETHER / 10n)])
  // At 3,000 USDC for one ether.
  const price = 1446501726624926496477173928747177n
  await bookPool(scene, hooked, { price, ticks: [-887_270, 887_270], liquidity: 10n ** 17n })
})
after(() => scene?.stop())

async function run(tx: Encoded, overrides: Overrides = {}) {
  const call = { ...tx, from: scene.wallet }
  const observed = await observe(scene.chain, call, [scene.wallet, tx.to, THIEF, FRIEND], { overrides })
  if (!observed.ok) return null
  const of = (party: string, asset: string) =>
    changesOf(observed.changes, toAddress(party)).get(asset.toLowerCase()) ?? 0n
  return { wallet: (asset: string) => of(scene.wallet, asset), router: (asset: string) => of(tx.to, asset), of }
}

/** The legs of the decoded action, after making sure that the chain does as they say. */
async function agreed(tx: Encoded): Promise<readonly Leg[]> {
  const outcome = await compare(scene, tx, { pools })
  assert.ok(outcome.what === 'compared', outcome.what === 'compared' ? '' : outcome.reason)
  assert.deepEqual(outcome.faults, [])
  return outcome.action.legs
}

async function refusedThough(tx: Encoded, executes: boolean): Promise<string> {
  const outcome = await compare(scene, tx)
  assert.ok(outcome.what === 'refused', outcome.what)
  assert.equal(outcome.executes, executes)
  return outcome.reason
}

const receipts = async (tx: Encoded) =>
  (await agreed(tx)).flatMap(({ receives }) => receives.map(({ amount, bound, party }) => [amount, bound, party]))

for (const version of ['2.0', '2.1'] satisfies Version[])
  describe(`Universal Router ${version}: swaps on the books`, () => {
    const router = toAddress(version === '2.0' ? uniswap.universalRouter20 : uniswap.universalRouter21)
    const plan = (...commands: readonly Command[]) => universalRouter({ version, commands })
    const books = (...actions: readonly Action[]) => plan(urV4(...actions))
    const hop = (currency: Address, { fee, tickSpacing, hooks }: typeof thin) =>
      ({ intermediateCurrency: currency, fee, tickSpacing, hooks, hookData: '0x' }) as const
    const sell = (from: Address, to: Address, pool: typeof thin, amount: bigint, limit: bigint) =>
      v4In({ version, end: from, path: [hop(to, pool)], amount, limit })
    const buy = (from: Address, to: Address, pool: typeof thin, amount: bigint, limit: bigint) =>
      v4Out({ version, end: to, path: [hop(from, pool)], amount, limit })
    const pays = (token: Address, amount = 0n) => v4Settle({ token, amount, walletPays: true })
    const takes = (token: Address, amount = 0n, to: Address = SENDER) => v4Take({ token, to, amount })
    const deep = poolKey(USDC, WETH, 3000, 60)
    const nativePool = poolKey(NATIVE, USDC, 500, 10)

    test('a purchase from a pool that runs dry delivers less, and only what is taken literally is certain', async () => {
      const huge = 10n ** 24n // a million dollars from some thousand
      const bought = buy(USDC, DAI, thin, huge, 10n ** 12n)
      const open = books(bought, pays(USDC), takes(DAI))
      const done = await run(open)
      assert.ok(done && done.wallet(DAI) > 0n && done.wallet(DAI) < huge / 10n)
      assert.deepEqual(await receipts(open), [[0n, 'min', scene.wallet]])
      assert.equal(await run(books(bought, pays(USDC), takes(DAI, huge))), null)
      const small = books(buy(USDC, DAI, thin, ETHER, 10n ** 12n), pays(USDC), takes(DAI, ETHER))
      assert.deepEqual(await receipts(small), [[ETHER, 'exact', scene.wallet]])
    })

    test('a sale to a pool that runs dry costs less, and its rest stays in the router where the router pays', async () => {
      const sold = 10n ** 12n
      const wallet = books(sell(USDC, DAI, thin, sold, 1n), pays(USDC), takes(DAI))
      const [leg] = await agreed(wallet)
      assert.deepEqual(
        leg?.spends.map(({ amount, bound }) => [amount, bound]),
        [[sold, 'max']],
      )
      const collect = urCollect({ token: USDC, to: ROUTER, amount: sold })
      const settle = v4Settle({ token: USDC, amount: 0n, walletPays: false })
      const held = plan(collect, urV4(sell(USDC, DAI, thin, sold, 1n), settle, takes(DAI)))
      const done = await run(held)
      // What it brings is guarded by the minimum for the whole of what was sold.
      assert.ok(done && done.router(USDC) > 0n && done.wallet(USDC) === -sold)
    })

    test('the minimum may sit in TAKE_ALL alone, and a share goes to somebody before it', async () => {
      const sale = sell(USDC, WETH, deep, SOLD, 0n)
      const all = (min: bigint) => books(sale, pays(USDC), v4TakeAll({ token: WETH, min }))
      assert.deepEqual(await receipts(all(ETHER / 2n)), [[ETHER / 2n, 'min', scene.wallet]])
      assert.equal(await run(all(2n * ETHER)), null)
      const share = v4TakePortion({ token: WETH, to: FRIEND, bips: 100n })
      assert.deepEqual(await receipts(books(sell(USDC, WETH, deep, SOLD, 10_000n), pays(USDC), share, takes(WETH))), [
        [100n, 'min', FRIEND],
        [9_900n, 'min', scene.wallet],
      ])
    })

    test('an amount of 0 is what is open, and that of the mark what the router holds: others’ money too', async () => {
      const collect = urCollect({ token: USDC, to: ROUTER, amount: SOLD })
      const all = v4Settle({ token: USDC, amount: WHOLE_BALANCE, walletPays: false })
      const sale = sell(USDC, WETH, deep, 0n, ETHER / 2n)
      assert.deepEqual(await receipts(plan(collect, urV4(all, sale, takes(WETH)))), [[ETHER / 2n, 'min', scene.wallet]])
      const snapshot = await scene.chain.snapshot()
      await scene.chain.fund(router, { tokens: { USDC: SOLD } })
      const others = books(all, sale, takes(WETH))
      assert.match(await refusedThough(others, true), /spends .* that the plan does not bring/)
      await scene.chain.revert(snapshot)
    })

    test('native coin is settled by the router, whoever is named, and the rest of it stays there', async () => {
      const bought = buy(NATIVE, USDC, nativePool, 3_000_000n, ETHER)
      const actions = [bought, pays(NATIVE), takes(USDC, 3_000_000n)]
      const tx = universalRouter({ version, value: ETHER, commands: [urV4(...actions)] })
      const done = await run(tx)
      assert.ok(done && done.wallet('native') === -ETHER && done.router('native') > (ETHER * 99n) / 100n)
      assert.deepEqual(await receipts(tx), [
        [3_000_000n, 'exact', scene.wallet],
        [0n, 'min', router],
      ])
      const back = urSweep({ token: NATIVE, to: SENDER, min: 0n })
      const [leg] = await agreed(universalRouter({ version, value: ETHER, commands: [urV4(...actions), back] }))
      assert.deepEqual(
        leg?.spends.map(({ amount, bound }) => [amount, bound]),
        [[ETHER, 'max']],
      )
    })

    test('the hooks of a pool take what no minimum keeps, and are touched', async () => {
      const limit = ETHER / 2n
      const sale = (pool: typeof thin, min: bigint) => books(sell(USDC, WETH, pool, SOLD, min), pays(USDC), takes(WETH))
      const done = await run(sale(hooked, limit))
      assert.ok(done && done.of(THIEF, WETH) === ETHER / 10n && done.wallet(WETH) < (ETHER * 91n) / 100n)
      const outcome = await compare(scene, sale(hooked, limit))
      assert.ok(outcome.what === 'compared')
      assert.ok(outcome.action.touches.includes(toAddress(HOOKS)))
      assert.deepEqual(
        outcome.action.legs[0].receives.map(({ amount }) => amount),
        [limit],
      )
      assert.equal(await run(sale(hooked, (ETHER * 95n) / 100n)), null)
    })

    test('books that are not even in the end revert, and are refused', async () => {
      const sale = sell(USDC, WETH, deep, SOLD, 1n)
      assert.match(await refusedThough(books(sale, pays(USDC)), false), /leaves .* at the pool manager/)
      assert.equal(await run(books(sale, takes(WETH))), null)
      assert.match(
        await refusedThough(books(sale, v4SettleAll({ token: DAI, max: 9n }), takes(WETH)), false),
        /settles a/,
      )
    })

    test('a pool that was paid before sells what it got, for an amount of 0 too', async () => {
      const pair = scene.chain.addresses.pools.v2DaiWeth
      const first = { version, walletPays: true, recipient: pair, amountIn: SOLD, min: 1n }
      const second = { version, walletPays: false, recipient: SENDER, amountIn: 0n, min: 7n, path: [WETH, DAI] }
      const tx = plan(urV3In({ ...first, tokens: [USDC, WETH], fees: [500] }), urV2In(second))
      assert.deepEqual(await receipts(tx), [[7n, 'min', scene.wallet]])
      const done = await run(tx)
      assert.ok(done && done.wallet(DAI) > 2_900n * ETHER)
    })

    test('a single swap of the other version fails or is another, and is refused', async () => {
      const other = version === '2.0' ? '2.1' : '2.0'
      const swap = { pool: deep, zeroForOne: true, amount: SOLD, limit: 1n }
      const foreign = books(v4InSingle({ ...swap, version: other }), pays(USDC), takes(WETH))
      const outcome = await compare(scene, foreign)
      assert.ok(outcome.what === 'refused')
      const out = books(
        v4OutSingle({ ...swap, version: other, amount: ETHER / 2n, limit: SOLD }),
        pays(USDC),
        takes(WETH),
      )
      assert.equal((await compare(scene, out)).what, 'refused')
    })

    test('the creation of a pool executes, and is refused in words', async () => {
      const key = poolKey(DAI, WETH, 10_000, 200)
      const parameters = parseAbiParameters([
        'PoolKey key, uint160 price',
        'struct PoolKey { address currency0; address currency1; uint24 fee; int24 tickSpacing; address hooks; }',
      ])
      const create = { byte: 0x13, input: encodeAbiParameters(parameters, [key, 2n ** 96n]) }
      assert.match(await refusedThough(plan(create), true), /the creation of a pool is not decoded/)
    })
  })

describe('Router02', () => {
  test('the amount of native coin is the value of the call; what a purchase leaves over comes back', async () => {
    const swap = { path: [WETH, USDC], to: scene.wallet, value: ETHER }
    const bought = v2NativeSwap('swapETHForExactTokens', { ...swap, amount: 3_000_000n })
    const done = await run(bought)
    assert.ok(done && done.wallet('native') > -ETHER / 100n && done.router('native') === 0n)
    const [leg] = await agreed(bought)
    assert.deepEqual(
      leg?.spends.map(({ amount, bound }) => [amount, bound]),
      [[ETHER, 'max']],
    )
    assert.deepEqual(
      leg?.receives.map(({ amount, bound }) => [amount, bound]),
      [[3_000_000n, 'exact']],
    )
    const sold = v2NativeSwap('swapExactETHForTokens', { ...swap, amount: 1n })
    assert.deepEqual(
      (await agreed(sold))[0]?.spends.map(({ amount, bound }) => [amount, bound]),
      [[ETHER, 'exact']],
    )
  })

  test('words of other routers are addresses here: what is sent to them is gone', async () => {
    for (const to of [SENDER, ROUTER]) {
      const tx = v2Swap('swapExactTokensForTokens', { amount: SOLD, limit: 1n, path: [USDC, WETH], to })
      const done = await run(tx)
      assert.ok(done && done.of(to, WETH) > 0n && done.wallet(WETH) === 0n)
      assert.deepEqual(await receipts(tx), [[1n, 'min', toAddress(to)]])
    }
  })

  test('native coin paid to the wrapped coin stays in the router, wrapped, and is refused', async () => {
    const tx = v2Swap('swapExactTokensForETH', { amount: SOLD, limit: 1n, path: [USDC, WETH], to: WETH })
    assert.ok(((await run(tx))?.router(WETH) ?? 0n) > ETHER / 2n)
    assert.match(await refusedThough(tx, true), /comes back to the router/)
  })

  test('a token that keeps what passes through it stops the plain swap; the other measures what arrives', async () => {
    pools.push(...(await hostilePools(scene)))
    const path = [USDC, HOSTILE, WETH]
    const plain = v2Swap('swapTokensForExactTokens', { amount: ETHER, limit: SOLD, path, to: scene.wallet })
    assert.equal(await run(plain), null)
    const name = 'swapExactTokensForTokensSupportingFeeOnTransferTokens'
    const measured = (limit: bigint) => v2Swap(name, { amount: SOLD, limit, path, to: scene.wallet })
    const done = await run(measured(0n))
    assert.ok(done && done.wallet(USDC) === -SOLD && done.wallet(WETH) < ETHER / 10n)
    assert.deepEqual(await receipts(measured(0n)), [[0n, 'min', scene.wallet]])
    assert.equal(await run(measured(ETHER / 2n)), null)
  })

  test('liquidity: shares for tokens and back, with a signed approval that is declared', async () => {
    const { owner, chain } = scene
    const shares = chain.addresses.pools.v2UsdcWeth
    const added = { a: USDC, b: WETH, amountA: SOLD, amountB: ETHER, minA: 0n, minB: 0n, to: scene.wallet }
    const [supply] = await agreed(v2Add(added))
    assert.deepEqual([supply?.kind, supply?.receives[0]?.asset], ['supply', toAddress(shares)])
    await owner.send(shares, erc20Approve({ token: shares, spender: uniswap.v2Router02, amount: 0n }).data)
    const removed = { a: USDC, b: WETH, shares: 10n ** 12n, minA: 1n, minB: 1n, to: FRIEND, deadline: maxUint256 }
    assert.equal(await run(v2Remove(removed)), null)
    for (const all of [false, true]) {
      const permit = await sharesPermit(shares, all ? maxUint256 : removed.shares)
      const legs = await agreed(v2Remove({ ...removed, permit: { ...permit, all } }))
      assert.deepEqual(
        legs.map(({ kind }) => kind),
        ['approve', 'withdraw'],
      )
      assert.equal(legs[0]?.grants[0]?.unlimited, all)
      const native = { token: USDC, shares: removed.shares, min: 1n, minNative: 1n, to: FRIEND, deadline: maxUint256 }
      for (const name of ['removeLiquidityETH', 'removeLiquidityETHSupportingFeeOnTransferTokens'] as const)
        assert.deepEqual(await receipts(v2RemoveNative(name, { ...native, permit: { ...permit, all } })), [
          [1n, 'min', FRIEND],
          [1n, 'min', FRIEND],
        ])
    }
    await owner.send(shares, erc20Approve({ token: shares, spender: uniswap.v2Router02, amount: maxUint256 }).data)
  })
})

describe('SwapRouter', () => {
  const single = { tokenIn: USDC, tokenOut: WETH, fee: 500, amount: SOLD, limit: 1n }

  test('the zero address is the router, where anybody takes what is left; to its successor it is nobody', async () => {
    const kept = v3SwapRouter(v3InSingle({ ...single, recipient: zeroAddress }))
    const done = await run(kept)
    assert.ok(done && done.router(WETH) > ETHER / 2n)
    assert.deepEqual(await receipts(kept), [[1n, 'min', toAddress(uniswap.v3SwapRouter)]])
    const swept = v3SwapRouter(
      srMulticall({
        calls: [
          v3InSingle({ ...single, recipient: zeroAddress }),
          srSweepTo({ token: WETH, min: 5n, recipient: FRIEND }),
        ],
      }),
    )
    assert.deepEqual(await receipts(swept), [[5n, 'min', FRIEND]])
    const burnt = srExactInputSingle({ ...single, amountIn: SOLD, min: 1n, limit: 0n, recipient: zeroAddress })
    assert.deepEqual(await receipts(swapRouter02(burnt)), [[1n, 'min', zeroAddress]])
  })

  test('native value that nobody asks back stays in the router', async () => {
    const sold = v3InSingle({ ...single, tokenIn: WETH, tokenOut: USDC, amount: ETHER, recipient: scene.wallet })
    const kept = v3SwapRouter(sold, 3n * ETHER)
    assert.equal((await run(kept))?.router('native'), 2n * ETHER)
    assert.deepEqual((await receipts(kept)).at(-1), [2n * ETHER, 'exact', toAddress(uniswap.v3SwapRouter)])
    const back = v3SwapRouter(srMulticall({ calls: [sold, srRefundETH()] }), 3n * ETHER)
    assert.deepEqual(
      (await agreed(back))[0]?.spends.map(({ amount, bound }) => [amount, bound]),
      [[ETHER, 'max']],
    )
  })

  test('a price limit ends a trade before all is sold or bought', async () => {
    const pool = parseAbi(['function slot0() view returns (uint160, int24, uint16, uint16, uint16, uint8, bool)'])
    const address = scene.chain.addresses.pools.v3UsdcWeth500
    const [price] = await scene.owner.reader.readContract({ address, abi: pool, functionName: 'slot0' })
    const near = { recipient: scene.wallet, priceLimit: (price * 999_999n) / 1_000_000n }
    const sold = v3SwapRouter(v3InSingle({ ...single, ...near, amount: 10n ** 12n }))
    const done = await run(sold)
    assert.ok(done && done.wallet(USDC) < 0n && done.wallet(USDC) > -(10n ** 11n))
    assert.deepEqual(
      (await agreed(sold))[0]?.spends.map(({ amount, bound }) => [amount, bound]),
      [[10n ** 12n, 'max']],
    )
    const bought = v3SwapRouter(v3OutSingle({ ...single, ...near, amount: 300n * ETHER, limit: 10n ** 12n }))
    const part = await run(bought)
    assert.ok(part && part.wallet(WETH) > 0n && part.wallet(WETH) < 30n * ETHER)
    assert.deepEqual(await receipts(bought), [[0n, 'min', scene.wallet]])
  })
})

describe('SwapRouter02', () => {
  const held = {
    tokenIn: USDC,
    tokenOut: WETH,
    fee: 500,
    amountIn: SOLD,
    min: ETHER / 2n,
    limit: 0n,
    recipient: ROUTER,
  }

  test('unwrapping may pay a fee to somebody', async () => {
    const fee = unwrapFeeTo({ min: 1n, recipient: scene.wallet, bips: 100n, feeTo: FRIEND })
    const tx = swapRouter02(srMulticall({ calls: [srExactInputSingle(held), fee] }))
    assert.deepEqual(await receipts(tx), [
      [ETHER / 200n, 'min', FRIEND],
      [(ETHER * 99n) / 200n, 'min', scene.wallet],
    ])
  })

  test('what it does for positions and their manager executes, and is refused in words', async () => {
    const abi = parseAbi(['function approveMax(address)', 'function callPositionManager(bytes)'])
    const approve = encodeFunctionData({ abi, functionName: 'approveMax', args: [USDC] })
    assert.match(await refusedThough(swapRouter02(approve), true), /approveMax: an approval by the router itself/)
    const refund: Hex = '0x12210e8a'
    const call = encodeFunctionData({ abi, functionName: 'callPositionManager', args: [refund] })
    assert.match(await refusedThough(swapRouter02(call), true), /callPositionManager: what it does with a position/)
  })
})

/** A signed approval of a pool's shares for Router02. */
async function sharesPermit(shares: Address, value: bigint) {
  const fields = ['owner address', 'spender address', 'value uint256', 'nonce uint256', 'deadline uint256']
  const types = {
    Permit: fields.map((field) => ({ name: field.split(' ')[0] ?? '', type: field.split(' ')[1] ?? '' })),
  }
  const domain = { name: 'Uniswap V2', version: '1', chainId: 1, verifyingContract: shares }
  const message = { owner: scene.wallet, spender: uniswap.v2Router02, value, nonce: 0n, deadline: maxUint256 }
  const signature = await scene.owner.account.signTypedData({ domain, types, primaryType: 'Permit', message })
  const { r, s, yParity } = parseSignature(signature)
  return { v: 27 + yParity, r, s }
}

/** Hooks that, after each swap, have the pool manager pay the thief an amount of a token out of what was bought. */
function taker(token: Address, amount: bigint): Hex {
  const word = amount.toString(16).padStart(16, '0')
  const address = (text: string) => `73${text.slice(2).toLowerCase()}`
  return `0x${[
    '630b0d9c0960e01b600052', // take(
    `${address(token)}600452`, // token,
    `${address(THIEF)}602452`, // thief,
    `67${word}604452`, // amount)
    `60006000606460006000${address(uniswap.v4PoolManager)}5af150`,
    `7fb47b2fb1${'00'.repeat(28)}600052`, // afterSwap's selector
    `67${word}602052`, // and what the hooks took
    '60406000f3',
  ].join('')}`
}

// Swaps on the books of version 4's pool manager: what is owed, settled and taken, and what the router makes sure of.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { type Address, maxUint128, zeroAddress } from 'viem'
import { toAddress } from '../../../src/lib/address.ts'
import {
  type Command,
  NATIVE,
  ROUTER,
  SENDER,
  tokens,
  universalRouter,
  urSweep,
  type Version,
  WHOLE_BALANCE,
} from '../../support/encode.ts'
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
} from '../../support/encode-v4.ts'
import { decoded, FRIEND, flowsOf, refusal } from './flows.ts'

const { USDC, WETH, DAI } = tokens
const HOOKS: Address = '0x4000000000000000000000000000000000000080'
const ETHER = 10n ** 18n
const SOLD = 3_000_000_000n
const KEY = poolKey(USDC, WETH, 3000, 60)
const hop = (intermediateCurrency: Address, hooks: Address = zeroAddress) =>
  ({ intermediateCurrency, fee: 500, tickSpacing: 10, hooks, hookData: '0x' }) as const

for (const version of ['2.0', '2.1'] satisfies Version[])
  describe(`Universal Router ${version}: swaps on the books`, () => {
    const plan = (...actions: readonly Action[]) => universalRouter({ version, commands: [urV4(...actions)] })
    const flows = (...actions: readonly Action[]) => {
      const { spends, receives } = flowsOf(plan(...actions))
      return [spends, receives]
    }
    const refused = (...actions: readonly Action[]) => refusal(plan(...actions))
    // USDC sorts before WETH.
    const swap = { version, pool: KEY, zeroForOne: true }
    const sale = (min: bigint, amount = SOLD) => v4InSingle({ ...swap, amount, limit: min })
    const purchase = (max: bigint, amount = ETHER) => v4OutSingle({ ...swap, amount, limit: max })
    const settle = v4Settle({ token: USDC, amount: 0n, walletPays: true })
    const take = (to: Address = SENDER, amount = 0n) => v4Take({ token: WETH, to, amount })

    test('a sale costs at most what it sells and brings at least its minimum', () => {
      const expected = [['<= 3000000000 USDC of wallet'], [`>= ${ETHER} WETH to wallet`]]
      assert.deepEqual(flows(sale(ETHER), settle, take()), expected)
      assert.deepEqual(flows(sale(ETHER), v4SettleAll({ token: USDC, max: SOLD }), take()), expected)
      const path = v4In({ version, end: USDC, path: [hop(DAI), hop(WETH)], amount: SOLD, limit: ETHER })
      assert.deepEqual(flows(path, settle, take()), expected)
      assert.deepEqual(decoded(plan(path, settle, take())).touches, [toAddress(DAI)])
    })

    test('the other way round it sells the other currency', () => {
      const back = v4InSingle({ ...swap, zeroForOne: false, amount: ETHER, limit: 5n })
      const ends = [v4SettleAll({ token: WETH, max: ETHER }), v4TakeAll({ token: USDC, min: 0n })]
      assert.deepEqual(flows(back, ...ends), [[`<= ${ETHER} WETH of wallet`], ['>= 5 USDC to wallet']])
    })

    test('the minimum may sit in TAKE_ALL alone, or in a literal amount that is taken', () => {
      assert.deepEqual(flows(sale(0n), settle, v4TakeAll({ token: WETH, min: ETHER }))[1], [
        `>= ${ETHER} WETH to wallet`,
      ])
      assert.deepEqual(flows(sale(0n), settle, take(FRIEND, ETHER))[1], [`= ${ETHER} WETH to friend`])
      assert.deepEqual(flows(sale(0n), settle, take())[1], ['>= 0 WETH to wallet'])
    })

    test('a share of the credit is somebody’s, the rest is guarded by what is left of the minimum', () => {
      const share = v4TakePortion({ token: WETH, to: FRIEND, bips: 25n })
      assert.deepEqual(flows(sale(10_000n), settle, share, take())[1], [
        '>= 25 WETH to friend',
        '>= 9975 WETH to wallet',
      ])
      assert.match(
        refused(sale(1n), settle, v4TakePortion({ token: WETH, to: FRIEND, bips: 10_001n }), take()),
        /more than/,
      )
      assert.match(
        refused(sale(1n), settle, v4TakePortion({ token: WETH, to: FRIEND, bips: 0n }), take()),
        /share of 0/,
      )
    })

    test('a purchase that only its maximum guards may deliver less: what is taken decides', () => {
      assert.deepEqual(flows(purchase(SOLD), settle, take()), [
        ['<= 3000000000 USDC of wallet'],
        ['>= 0 WETH to wallet'],
      ])
      assert.deepEqual(flows(purchase(SOLD), settle, take(SENDER, ETHER))[1], [`= ${ETHER} WETH to wallet`])
      assert.deepEqual(flows(purchase(SOLD), settle, v4TakeAll({ token: WETH, min: 9n }))[1], ['>= 9 WETH to wallet'])
      const path = v4Out({ version, end: WETH, path: [hop(USDC), hop(DAI)], amount: ETHER, limit: SOLD })
      assert.deepEqual(flows(path, settle, take(SENDER, ETHER)), [
        ['<= 3000000000 USDC of wallet'],
        [`= ${ETHER} WETH to wallet`],
      ])
      assert.deepEqual(decoded(plan(path, settle, take())).touches, [toAddress(DAI)])
    })

    test('a debt that a purchase on the way may leave is paid only within a limit', () => {
      const path = v4Out({ version, end: WETH, path: [hop(USDC), hop(DAI)], amount: ETHER, limit: SOLD })
      const between = v4Settle({ token: DAI, amount: 0n, walletPays: true })
      assert.match(refused(path, settle, between, take()), /debt of 0x6b17.* that nothing limits/)
      const limited = v4SettleAll({ token: DAI, max: 77n })
      assert.deepEqual(flows(path, settle, limited, take())[0], ['<= 3000000000 USDC of wallet', '<= 77 DAI of wallet'])
    })

    test('an amount of 0 is the open credit of a sale before', () => {
      const second = v4InSingle({
        version,
        pool: poolKey(DAI, WETH, 500, 10),
        zeroForOne: false,
        amount: 0n,
        limit: 7n,
      })
      assert.deepEqual(flows(sale(0n), second, settle, v4TakeAll({ token: DAI, min: 0n })), [
        ['<= 3000000000 USDC of wallet'],
        ['>= 7 DAI to wallet'],
      ])
      assert.match(refused(second, settle, v4TakeAll({ token: DAI, min: 0n })), /credit of .* does not bring/)
      assert.match(refused(v4OutSingle({ ...swap, amount: 0n, limit: 5n }), settle), /debt of .* does not have/)
    })

    test('books that cannot be even at the end are refused', () => {
      assert.match(refused(sale(1n), settle), /leaves .* at the pool manager/)
      assert.match(refused(sale(1n), take(), v4Take({ token: DAI, to: SENDER, amount: 5n })), /debt of .* at the pool/)
      assert.match(refused(sale(1n), take(), v4TakeAll({ token: DAI, min: 5n })), /asks for 5 of .*does not bring/)
      assert.match(refused(sale(1n), v4SettleAll({ token: DAI, max: 9n }), take()), /settles a debt .* does not have/)
    })

    test('native coin is settled out of what came with the call, whoever is named', () => {
      const pool = poolKey(NATIVE, USDC, 500, 10)
      const sell = v4InSingle({ version, pool, zeroForOne: true, amount: ETHER, limit: 9n })
      const pay = (walletPays: boolean, amount = 0n) => v4Settle({ token: NATIVE, amount, walletPays })
      const end = v4TakeAll({ token: USDC, min: 0n })
      for (const paid of [pay(true), pay(false), pay(true, ETHER), v4SettleAll({ token: NATIVE, max: ETHER })])
        assert.deepEqual(flowsOf(universalRouter({ version, value: ETHER, commands: [urV4(sell, paid, end)] })), {
          spends: [`= ${ETHER} ETH of wallet`],
          receives: ['>= 9 USDC to wallet'],
          grants: [],
        })
      assert.match(refused(sell, pay(true), end), /spends native that the plan does not bring/)
      assert.match(
        refusal(universalRouter({ version, value: ETHER - 1n, commands: [urV4(sell, pay(false), end)] })),
        /spends more native than the plan brings/,
      )
      const bought = v4InSingle({ version, pool, zeroForOne: false, amount: SOLD, limit: 9n })
      assert.deepEqual(flows(bought, settle, v4TakeAll({ token: NATIVE, min: 0n }))[1], ['>= 9 ETH to wallet'])
      assert.match(refused(bought, settle, v4Take({ token: NATIVE, to: WETH, amount: 0n })), /comes back to the router/)
    })

    test('what is bought beside a value that is not all used stays in the router', () => {
      const pool = poolKey(NATIVE, USDC, 500, 10)
      const buy = v4OutSingle({ version, pool, zeroForOne: true, amount: 5n, limit: 100n })
      const ends = [
        v4Settle({ token: NATIVE, amount: 0n, walletPays: false }),
        v4Take({ token: USDC, to: SENDER, amount: 5n }),
      ]
      const kept = universalRouter({ version, value: 150n, commands: [urV4(buy, ...ends)] })
      assert.deepEqual(flowsOf(kept).receives, [
        '= 5 USDC to wallet',
        '>= 50 ETH to universalRouter20'.replace('20', version === '2.0' ? '20' : '21'),
      ])
      const back = urSweep({ token: NATIVE, to: SENDER, min: 0n })
      const swept = universalRouter({ version, value: 150n, commands: [urV4(buy, ...ends), back] })
      assert.deepEqual(flowsOf(swept).spends, ['<= 100 ETH of wallet'])
    })

    test('all that the router holds is settled out of what the plan brought there', () => {
      const all = (walletPays: boolean) => v4Settle({ token: USDC, amount: WHOLE_BALANCE, walletPays })
      const open = sale(9n, 0n)
      assert.match(refused(all(false), open, take()), /spends .* that the plan does not bring/)
      assert.match(refused(all(true), open, take()), /as much as the router happens to hold/)
      const collect: Command = {
        byte: 0x02,
        input: `0x${[USDC, ROUTER, '0x5dc'].map((w) => w.slice(2).toLowerCase().padStart(64, '0')).join('')}`,
      }
      const tx = universalRouter({ version, commands: [collect, urV4(all(false), open, take())] })
      assert.deepEqual(flowsOf(tx).receives, ['>= 9 WETH to wallet'])
      assert.deepEqual(flowsOf(tx).spends, ['= 1500 USDC of wallet'])
    })

    test('hooks are touched, and what a purchase brings through them is only what is checked', () => {
      const pool = { ...KEY, hooks: HOOKS }
      const hooked = v4InSingle({ ...swap, pool, amount: SOLD, limit: 9n })
      assert.deepEqual(decoded(plan(hooked, settle, take())).touches, [HOOKS])
      assert.deepEqual(flows(hooked, settle, take()), [['<= 3000000000 USDC of wallet'], ['>= 9 WETH to wallet']])
      const bought = v4OutSingle({ ...swap, pool, amount: ETHER, limit: SOLD })
      assert.deepEqual(flows(bought, settle, take(SENDER, ETHER))[1], [`= ${ETHER} WETH to wallet`])
      assert.match(refused(bought, settle, v4Settle({ token: WETH, amount: 0n, walletPays: true })), /nothing limits/)
      const told = v4InSingle({ ...swap, pool, amount: SOLD, limit: 9n, hookData: '0x01' })
      assert.match(refused(told, settle, take()), /tells the hooks/)
      const path = v4In({ version, end: USDC, path: [hop(DAI), hop(WETH, HOOKS)], amount: SOLD, limit: ETHER })
      assert.deepEqual(decoded(plan(path, settle, take())).touches, [HOOKS, toAddress(DAI)].toSorted())
    })

    test('an action that the router does not have refuses the plan', () => {
      for (const byte of [0x00, 0x02, 0x05, 0x0a, 0x0d, 0x11, 0x12, 0x13, 0x14, 0x16, 0x18, 0x19, 0x86, 0xff])
        assert.match(refused(sale(1n), { ...settle, byte }, take()), /action 1 .*the router has no such action/)
    })

    test('a path has pools, and as many prices as pools or none', () => {
      const path = (hops: readonly ReturnType<typeof hop>[], prices: readonly bigint[] = []) =>
        v4In({ version, end: USDC, path: hops, amount: SOLD, limit: 9n, prices })
      assert.match(refused(path([]), settle, take()), /at least one pool/)
      assert.match(refused(path([hop(WETH), hop(WETH)]), settle, take()), /to itself/)
      assert.match(refused(path([hop(WETH), hop(USDC)]), settle, take()), /sells what it buys/)
      assert.match(
        refused(path(Array.from({ length: 16 }, (_, i) => hop(i % 2 ? DAI : WETH))), settle, take()),
        /15 pools/,
      )
      if (version === '2.0') return
      assert.equal(flows(path([hop(WETH)], [7n]), settle, take()).length, 2)
      assert.match(refused(path([hop(WETH)], [7n, 8n]), settle, take()), /2 prices for 1 hops/)
    })

    test('the input of the other version is refused, and a maximum as large as can be is said', () => {
      const other = version === '2.0' ? '2.1' : '2.0'
      const foreign = v4InSingle({ ...swap, version: other, amount: SOLD, limit: 9n })
      assert.match(refused(foreign, settle, take()), /not canonical|followed by/)
      assert.deepEqual(flows(purchase(maxUint128), settle, take(SENDER, ETHER))[0], [`<= ${maxUint128} USDC of wallet`])
    })
  })

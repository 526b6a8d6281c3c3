// Samples of the commands of the Universal Router that hold plans of their own.
import { type Address, type Hex, maxUint128, maxUint256, zeroAddress } from 'viem'
import { type Command, mayFail, SENDER, universalRouter, urCollect, type Version } from './encode.ts'
import {
  type Action,
  poolKey,
  urSubPlan,
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
} from './encode-v4.ts'
import { DAI, ETHER, FRIEND, type Inert, OTHER, type Sample, SOLD, sample, USDC, WETH } from './sample.ts'

const HOOKS: Address = '0x4000000000000000000000000000000000000080'

export function books(version: Version): readonly Sample[] {
  const plan = (...commands: readonly Command[]) => universalRouter({ version, commands, deadline: 1_900_000_000n })
  const actions = (...some: readonly Action[]) => plan(urV4(...some))
  const pool = poolKey(USDC, WETH, 500, 10)
  const otherPool = { ...pool, fee: 0xffffff - 500, tickSpacing: 0x7fffff - 10 }
  const hop = (intermediateCurrency: Address, fee = 500, tickSpacing = 10) => ({
    intermediateCurrency,
    fee,
    tickSpacing,
    hooks: zeroAddress,
    hookData: '0x' as const,
  })
  const dear = version === '2.1'
  const told: Readonly<{ hookData: Hex }> = { hookData: '0x' }
  const single = { version, pool, zeroForOne: true, price: 7n, ...told }
  const singleChanges = { pool: { ...pool, hooks: HOOKS }, zeroForOne: false, hookData: '0x01' } as const
  const singleInert: Inert = { pool: ['fee', otherPool], ...(dear && { price: ['price', maxUint256 - 7n] as const }) }
  const prices = dear ? [7n, 8n] : []
  const pricesInert: Inert = dear ? { prices: ['price', prices.map((price) => maxUint256 - price)] } : {}
  const inverted = (...hops: readonly ReturnType<typeof hop>[]) =>
    hops.map((one) => ({ ...one, fee: 0xffffff - 500, tickSpacing: 0x7fffff - 10 }))
  const sold = { amount: SOLD, limit: ETHER }
  const bought = { amount: ETHER, limit: SOLD }
  const boughtInert: Inert = { amount: ['taken', maxUint128 - ETHER] }
  const settle = v4Settle({ token: USDC, amount: 0n, walletPays: true })
  const take = v4Take({ token: WETH, to: FRIEND, amount: 0n })
  const takeRest = v4Take({ token: WETH, to: SENDER, amount: 0n })
  const takeSome = v4Take({ token: WETH, to: FRIEND, amount: 5n })
  /** A sale before what is looked at: which pool, at what least price and, below another guard, for how much does not matter. */
  const before = (limit: bigint) => ({ before: { pool, price: 7n, limit, amount: SOLD } })
  const sale = (f: ReturnType<typeof before>) => v4InSingle({ version, zeroForOne: true, ...f.before })
  const otherBefore = (limit: bigint) => ({ pool: otherPool, price: maxUint256 - 7n, limit, amount: SOLD })
  const unsettled = { ...otherBefore(ETHER), amount: maxUint128 - SOLD }
  const collected = { token: USDC, to: FRIEND, amount: 5n, flag: false }
  const inner = ({ flag, ...f }: typeof collected) => (flag ? mayFail(urCollect(f)) : urCollect(f))
  return [
    sample(
      'SWAP_EXACT_IN_SINGLE',
      { ...single, ...sold },
      { ...singleChanges, amount: 1n, limit: 1n },
      (f) => actions(v4InSingle(f), settle, take),
      singleInert,
    ),
    sample(
      'SWAP_EXACT_OUT_SINGLE',
      { ...single, ...bought },
      { ...singleChanges, limit: 1n },
      (f) => actions(v4OutSingle(f), settle, takeSome),
      { ...singleInert, ...boughtInert },
    ),
    sample(
      'SWAP_EXACT_IN',
      { version, end: USDC, path: [hop(DAI), hop(WETH)], prices, ...sold },
      { end: OTHER, path: [hop(WETH)], amount: 1n, limit: 1n },
      (f) => actions(v4In(f), settle, take),
      { path: ['fee', inverted(hop(DAI), hop(WETH))], ...pricesInert },
    ),
    sample(
      'SWAP_EXACT_OUT',
      { version, end: WETH, path: [hop(USDC), hop(DAI)], prices, ...bought },
      { end: OTHER, path: [hop(USDC)], limit: 1n },
      (f) => actions(v4Out(f), settle, takeSome),
      { path: ['fee', inverted(hop(USDC), hop(DAI))], ...pricesInert, ...boughtInert },
    ),
    sample(
      'SETTLE',
      { ...before(ETHER), token: USDC, amount: SOLD, walletPays: true },
      { token: DAI, amount: SOLD - 1n, walletPays: false },
      (f) => actions(sale(f), v4Settle(f), take),
      { before: ['settled', otherBefore(ETHER), unsettled] },
    ),
    sample(
      'SETTLE_ALL',
      { ...before(ETHER), token: USDC, max: 5n },
      { token: DAI, max: 6n },
      (f) => actions(sale(f), v4SettleAll(f), take),
      { before: ['settled', otherBefore(ETHER), unsettled] },
    ),
    sample(
      'TAKE',
      { ...before(0n), token: WETH, to: FRIEND, amount: 5n },
      { token: DAI, to: SENDER, amount: 6n },
      (f) => actions(sale(f), settle, v4Take(f)),
      { before: ['weaker', otherBefore(1n)] },
    ),
    sample(
      'TAKE_ALL',
      { ...before(0n), token: WETH, min: 5n },
      { token: DAI, min: 6n },
      (f) => actions(sale(f), settle, v4TakeAll(f)),
      { before: ['weaker', otherBefore(1n)] },
    ),
    sample(
      'TAKE_PORTION',
      { ...before(ETHER), token: WETH, to: FRIEND, bips: 10n },
      { token: DAI, to: OTHER, bips: 11n },
      (f) => actions(sale(f), settle, v4TakePortion(f), takeRest),
      { before: ['fee', otherBefore(ETHER)] },
    ),
    ...[
      { name: 'EXECUTE_SUB_PLAN', wrap: urSubPlan },
      { name: 'EXECUTE_SUB_PLAN that may fail', wrap: (command: Command) => mayFail(urSubPlan(command)) },
    ].map(({ name, wrap }) =>
      sample(name, collected, { token: DAI, to: OTHER, amount: 6n }, (f) => plan(wrap(inner(f))), {
        flag: ['flag', true],
      }),
    ),
  ].map((s) => ({ ...s, name: `Universal Router ${version} ${s.name}` }))
}

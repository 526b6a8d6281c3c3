import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { formatDecimal } from '../../lib/usd.ts'
import {
  type AbiTypes,
  abiFunction,
  address,
  argumentsOf,
  bool,
  bytes,
  callFunction,
  functionTable,
  uint,
} from '../calldata.ts'
import type { Leg } from '../decoded-action.ts'
import { type Call, defineDecoder } from '../decoder.ts'
import {
  cancelLeg,
  controlLeg,
  HYPERLIQUID,
  marginLeg,
  orderLeg,
  tokenLeg,
  tokenNamed,
  usdBackLeg,
  usdLeg,
} from '../hyperliquid-legs.ts'

/** Sizes and prices have eight decimals. */
const DECIMALS = 8
const TIME_IN_FORCE: Readonly<Record<string, string>> = { '1': 'Alo', '2': 'Gtc', '3': 'Ioc' }
/** Version byte and action number before the fields, in digits. */
const VERSION = '01'
const HEAD = 2 + 2 + 6
const PERPS_DEX = 0n
const SPOT_DEX = 0xffffffffn

type Read = (fields: Hex, wallet: Address) => Result<Leg>

function action<A extends readonly unknown[]>(
  types: AbiTypes<A>,
  run: (values: A, wallet: Address) => Result<Leg>,
): Read {
  const reader = argumentsOf<A>(...types)
  return (fields, wallet) => {
    const read = reader.read(fields, HEAD)
    if (!read.ok) return read
    return read.value.trailing > 0 ? refuse('bytes follow its fields') : run(read.value.values, wallet)
  }
}

// Source: Hyperliquid's docs, "Interacting with HyperCore". Numbers that are not here are refused.
const ACTIONS: ReadonlyMap<number, Read> = new Map([
  [
    1,
    action([uint(32), bool, uint(64), uint(64), bool, uint(8), uint(128)], (fields, account) => {
      const [market, isBuy, price, size, reduceOnly, tif, cloid] = fields
      const timeInForce = TIME_IN_FORCE[String(tif)]
      if (timeInForce === undefined) return refuse(`time in force ${tif} is none`)
      if (price === 0n) return refuse('the price is 0')
      return ok(
        orderLeg({
          market: String(market),
          side: isBuy ? 'buy' : 'sell',
          size: formatDecimal(size, DECIMALS),
          price: formatDecimal(price, DECIMALS),
          trigger: null,
          reduceOnly,
          timeInForce,
          cloid: cloid === 0n ? null : `0x${cloid.toString(16).padStart(32, '0')}`,
          account,
          feeTo: null,
        }),
      )
    }),
  ],
  [
    2,
    action([address, bool, uint(64)], ([vault, isDeposit, usd], wallet) =>
      ok(isDeposit ? usdLeg(wallet, vault, usd) : usdBackLeg(wallet, usd)),
    ),
  ],
  [
    6,
    action([address, uint(64), uint(64)], ([to, index, wei], wallet) => {
      const token = tokenNamed(Number(index))
      return token.ok ? tokenLeg(token.value, wallet, to, wei) : token
    }),
  ],
  [7, action([uint(64), bool], ([usd, toPerp]) => ok(marginLeg(toPerp ? usd : -usd)))],
  [9, action([address, bytes], ([agent], wallet) => ok(controlLeg(wallet, agent, true)))],
  [10, action([uint(32), uint(64)], () => ok(cancelLeg()))],
  [11, action([uint(32), uint(128)], () => ok(cancelLeg()))],
  [12, action([uint(64), address], ([rate, builder], wallet) => ok(controlLeg(wallet, builder, rate > 0n)))],
  [
    13,
    action(
      [address, address, uint(32), uint(32), uint(64), uint(64)],
      ([to, subAccount, source, destination, index, wei], wallet) => {
        if (BigInt(subAccount) !== 0n) return refuse('a transfer of a sub-account is not decoded')
        if (![source, destination].every((dex) => dex === PERPS_DEX || dex === SPOT_DEX))
          return refuse('a transfer of another exchange of HyperCore is not decoded')
        const token = tokenNamed(Number(index))
        if (!token.ok) return token
        const leg = tokenLeg(token.value, wallet, to, wei)
        const [spent] = leg.ok ? leg.value.spends : []
        return leg.ok && source === PERPS_DEX && spent ? ok({ ...leg.value, margin: -spent.amount }) : leg
      },
    ),
  ],
])

const functions = functionTable<Call, Leg>([
  abiFunction('sendRawAction', [bytes], ([data], { wallet }) => {
    if (data.slice(2, 4) !== VERSION) return refuse('the action is of no known version')
    const number = Number.parseInt(data.slice(4, HEAD), 16)
    const read = ACTIONS.get(number)
    if (data.length < HEAD || read === undefined) return refuse(`action ${number} of HyperCore is not decoded`)
    const leg = read(data, wallet)
    return leg.ok ? leg : refuse(`action ${number} of HyperCore: ${leg.reason}`)
  }),
])

/**
 * The door from HyperEVM to the exchange: what is written here HyperCore does for the sender, orders and transfers
 * included. Whether it could the transaction does not tell.
 */
export const hyperliquidCoreWriter = defineDecoder({
  kind: 'hyperliquid-core-writer',
  decode(call) {
    if (call.value > 0n)
      return refuse('CoreWriter takes no native value, and voids what comes with some: "value" must be 0.')
    const result = callFunction(functions, call.data, call)
    return result.ok
      ? ok({ legs: [{ ...result.value.value, venue: HYPERLIQUID }] })
      : refuse(`CoreWriter: ${result.reason}.`)
  },
})

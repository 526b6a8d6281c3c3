import { type Address, checksumAddress } from '../lib/address.ts'
import { formatDecimal, formatUsd, groupThousands } from '../lib/usd.ts'
import { contractAt, contractName } from '../registry/index.ts'
import {
  type AccountSetting,
  type Asset,
  type Control,
  type DecodedAction,
  type Flow,
  type Grant,
  isUnlimited,
  type Leg,
  type PositionChange,
} from './decoded-action.ts'
import { type Facts, known, offPeg } from './facts.ts'
import { tradingTexts } from './order-text.ts'
import type { Valuation } from './valuation.ts'

/** An amount with its symbol: `100 USDC`; in base units and by address while the token's identity is unknown. */
export function amountText(asset: Asset, amount: bigint, facts: Facts): string {
  const token = known(facts.tokens)?.[asset]
  if (token) return `${groupThousands(formatDecimal(amount, token.decimals))} ${token.symbol}`
  return `${amount} base units of ${asset === 'native' ? 'the native coin' : checksumAddress(asset)}`
}

/** What an address is to a reader: the wallet, a known contract, or itself. */
export function partyText({ chainId, wallet }: DecodedAction, party: Address): string {
  if (party === wallet) return 'the wallet itself'
  const contract = contractAt(chainId, party)
  const address = checksumAddress(party)
  if (!contract) return address
  return `${contractName(contract)} (${address})`
}

/** One sentence of what an action does, from its bytes alone: `At most 100 USDC leaves; at least 0.0331 WETH comes back; worth $100.00.` */
export function describe(action: DecodedAction, facts: Facts, valuation: Valuation): string {
  const parts = action.legs.flatMap((leg) => [
    ...leg.spends.map((flow) => spendText(action, flow, facts)),
    ...leg.receives.map((flow) => receiveText(action, leg, flow, facts)),
    ...leg.grants.map((grant) => grantText(action, grant, facts)),
    ...(leg.positions ?? []).map((position) => positionText(action, position, facts)),
    ...(leg.controls ?? []).map((control) => controlText(action, control)),
    ...tradingTexts(action, leg, facts),
    ...(leg.setting ? [settingText(action, leg.setting, facts)] : []),
  ])
  if (valuation.notional) parts.push(`worth ${formatUsd(valuation.notional)}`)
  parts.push(...pegTexts(facts))
  const sentence = parts.join('; ')
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`
}

/** `USDC is off its peg at $0.93`: no coin is taken to be worth a dollar. */
export function pegTexts(facts: Facts): readonly string[] {
  return offPeg(facts).map(({ symbol, usdE8 }) => `${symbol} is off its peg at ${formatUsd(usdE8 / 100n)}`)
}

function spendText(action: DecodedAction, { asset, amount, bound, party }: Flow, facts: Facts): string {
  const from = party === action.wallet ? '' : ` of ${partyText(action, party)}`
  return `${bound === 'max' ? 'at most ' : ''}${amountText(asset, amount, facts)}${from} leaves`
}

function receiveText(action: DecodedAction, leg: Leg, { asset, amount, bound, party }: Flow, facts: Facts): string {
  // How much all of an account comes to is for the venue to say: its bytes promise nothing.
  const isAll = amount === 0n && bound === 'min' && leg.positions?.some((position) => position.amount === null)
  const least = `${bound === 'min' ? 'at least ' : ''}${amountText(asset, amount, facts)}`
  const text = isAll ? `up to all of the ${symbolOf(asset, facts)}` : least
  return party === action.wallet ? `${text} comes back` : `${text} goes to ${partyText(action, party)}`
}

function grantText(action: DecodedAction, { asset, amount, spender, expiresAt }: Grant, facts: Facts): string {
  const limit = isUnlimited(amount)
    ? `an UNLIMITED amount of ${symbolOf(asset, facts)}`
    : amountText(asset, amount, facts)
  const until = expiresAt === null ? '' : ` until ${new Date(expiresAt * 1000).toISOString()}`
  return `${partyText(action, spender)} may spend ${limit}${until}`
}

function positionText(action: DecodedAction, position: PositionChange, facts: Facts): string {
  const { side, change, asset, amount, market, party } = position
  const what = amount === null ? `up to all of its ${symbolOf(asset, facts)}` : amountText(asset, amount, facts)
  const whose = party === action.wallet ? '' : ` for ${partyText(action, party)}`
  const words = {
    supply: { increase: 'deposited in', decrease: 'taken out of' },
    debt: { increase: 'borrowed from', decrease: 'paid back to' },
  }
  return `${what} ${words[side][change]} ${partyText(action, market)}${whose}`
}

function controlText(action: DecodedAction, { owner, operator, granted }: Control): string {
  const whose = owner === action.wallet ? "the wallet's account" : `the account of ${partyText(action, owner)}`
  return `${partyText(action, operator)} ${granted ? 'may control' : 'may no longer control'} ${whose}`
}

/** `collateral of USDC becomes off at aave pool (0x…)`. */
function settingText(action: DecodedAction, { market, name, asset, value }: AccountSetting, facts: Facts): string {
  return `${name}${asset === null ? '' : ` of ${symbolOf(asset, facts)}`} becomes ${value} at ${partyText(action, market)}`
}

function symbolOf(asset: Asset, facts: Facts): string {
  return known(facts.tokens)?.[asset]?.symbol ?? (asset === 'native' ? 'native coin' : checksumAddress(asset))
}

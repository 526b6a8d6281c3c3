import type { Address } from '../../lib/address.ts'
import type { Hex } from '../../lib/hash.ts'
import { ok, type Result, refuse } from '../../lib/result.ts'
import { type MarketParams, morphoMarketAt, morphoMarketId } from '../../registry/index.ts'
import {
  abiFunction,
  address,
  bool,
  bytes,
  bytes32,
  callFunction,
  functionTable,
  MAX_TRAILING_BYTES,
  selectorOf,
  tuple,
  uint,
} from '../calldata.ts'
import { deadlineOf } from '../deadline.ts'
import { type Call, type Decoded, defineDecoder } from '../decoder.ts'
import {
  borrowLeg,
  controlLeg,
  type LendingAccount,
  repayLeg,
  someAmount,
  supplyLeg,
  withdrawLeg,
} from '../lending-legs.ts'

const VENUE = 'morpho'

const marketParams = tuple(address, address, address, address, uint(256))
type MarketTuple = readonly [Address, Address, Address, Address, bigint]

const NO_CALLBACK = 'it calls code of the wallet back with data, which no decoder can follow: "data" must be empty'
const BY_SHARES = 'by shares its bytes do not say what is paid: the amount of assets does'

// Source: IMorpho. What goes in, and what is owed, is decoded by assets alone; what comes out by shares as well.
const functions = functionTable<Call, Decoded>([
  abiFunction(
    'supply',
    [marketParams, uint(256), uint(256), address, bytes],
    ([market, assets, shares, onBehalf, data], call) => {
      const amount = paidIn(assets, shares, data)
      if (!amount.ok) return amount
      return known(call, market, ({ loan, touches }) => ({
        legs: [supplyLeg(accountOf(call, market, loan, onBehalf), amount.value, call.wallet)],
        touches,
      }))
    },
  ),
  abiFunction(
    'withdraw',
    [marketParams, uint(256), uint(256), address, address],
    ([market, assets, shares, onBehalf, receiver], call) => {
      if (assets > 0n === shares > 0n) return refuse('one of assets and shares must be 0, and the other not')
      const { loan, touches } = tokensOf(market)
      const amount = assets > 0n ? assets : null
      return ok({ legs: [withdrawLeg(accountOf(call, market, loan, onBehalf), amount, receiver)], touches })
    },
  ),
  abiFunction(
    'borrow',
    [marketParams, uint(256), uint(256), address, address],
    ([market, assets, shares, onBehalf, receiver], call) => {
      const amount = paidIn(assets, shares, '0x')
      if (!amount.ok) return amount
      return known(call, market, ({ loan, touches }) => ({
        legs: [borrowLeg(accountOf(call, market, loan, onBehalf), amount.value, receiver)],
        touches,
      }))
    },
  ),
  // More than is owed is refused by the contract, not kept back.
  abiFunction(
    'repay',
    [marketParams, uint(256), uint(256), address, bytes],
    ([market, assets, shares, onBehalf, data], call) => {
      const amount = paidIn(assets, shares, data)
      if (!amount.ok) return amount
      const { loan, touches } = tokensOf(market)
      const leg = repayLeg(accountOf(call, market, loan, onBehalf), amount.value, call.wallet, { bound: 'exact' })
      return ok({ legs: [leg], touches })
    },
  ),
  abiFunction(
    'supplyCollateral',
    [marketParams, uint(256), address, bytes],
    ([market, assets, onBehalf, data], call) => {
      const amount = paidIn(assets, 0n, data)
      if (!amount.ok) return amount
      return known(call, market, ({ collateral, touches }) => ({
        legs: [supplyLeg(accountOf(call, market, collateral, onBehalf), amount.value, call.wallet)],
        touches,
      }))
    },
  ),
  abiFunction(
    'withdrawCollateral',
    [marketParams, uint(256), address, address],
    ([market, assets, onBehalf, receiver], call) => {
      const amount = someAmount(assets)
      if (!amount.ok) return amount
      const { collateral, touches } = tokensOf(market)
      return ok({ legs: [withdrawLeg(accountOf(call, market, collateral, onBehalf), amount.value, receiver)], touches })
    },
  ),
  abiFunction('setAuthorization', [address, bool], ([operator, granted], { wallet }) =>
    ok({ legs: [controlLeg(VENUE, wallet, operator, granted)] }),
  ),
  abiFunction(
    'setAuthorizationWithSig',
    [tuple(address, address, bool, uint(256), uint(256)), tuple(uint(8), bytes32, bytes32)],
    ([[owner, operator, granted, , deadline]], { wallet }) =>
      owner === wallet
        ? ok({ legs: [{ ...controlLeg(VENUE, owner, operator, granted), deadline: deadlineOf(deadline) }] })
        : refuse(`the signature is of ${owner}, not of the wallet`),
  ),
])

/** Further functions that are known and not decoded, and why. */
const REFUSED: Readonly<Record<string, string>> = {
  '0xe0232b42': 'flashLoan hands borrowed assets to code of the wallet, which no decoder can follow',
  '0xd8eabcb8': 'liquidate pays for what the oracle says at that moment, which its bytes do not bound',
}

/**
 * Morpho Blue: deposits, collateral and loans in the markets that one contract keeps. Anybody opens a market with an oracle
 * of his own, so that what is put at risk in one (deposits, collateral, debts) must be in a market that the registry knows;
 * what is taken out or paid back need not. The contract reads no bytes behind its arguments.
 */
export const morphoBlue = defineDecoder({
  kind: 'morpho-blue',
  decode(call) {
    if (call.value > 0n) return refuse('Morpho takes no native value: "value" must be 0.')
    const refused = REFUSED[selectorOf(call.data) ?? '']
    if (refused !== undefined) return refuse(`Morpho: ${refused}.`)
    const result = callFunction(functions, call.data, call, MAX_TRAILING_BYTES)
    if (!result.ok) return refuse(`Morpho: ${result.reason}.`)
    return ok({ ...result.value.value, trailingBytes: result.value.trailing })
  },
})

type Tokens = Readonly<{ loan: Address; collateral: Address; touches: readonly Address[] }>

/** The tokens of a market, and all its addresses: its oracle decides over what is owed. */
function tokensOf([loan, collateral, oracle, irm]: MarketTuple): Tokens {
  return { loan, collateral, touches: [loan, collateral, oracle, irm].filter((one) => BigInt(one) > 0n) }
}

function idOf([loanToken, collateralToken, oracle, irm, lltv]: MarketTuple): Hex {
  const params: MarketParams = { loanToken, collateralToken, oracle, irm, lltv }
  return morphoMarketId(params)
}

function known({ chainId }: Call, market: MarketTuple, decoded: (tokens: Tokens) => Decoded): Result<Decoded> {
  const id = idOf(market)
  if (morphoMarketAt(chainId, id) === undefined)
    return refuse(`market ${id} is not in the registry, and whoever opened it chose its oracle`)
  return ok(decoded(tokensOf(market)))
}

function accountOf({ to }: Call, market: MarketTuple, asset: Address, party: Address): LendingAccount {
  return { venue: VENUE, market: to, marketId: idOf(market), asset, party }
}

/** The amount that a call names in assets; what it names in shares is worth what the market says at that moment. */
function paidIn(assets: bigint, shares: bigint, data: Hex): Result<bigint> {
  if (data !== '0x') return refuse(NO_CALLBACK)
  if (assets === 0n && shares > 0n) return refuse(BY_SHARES)
  if (shares > 0n) return refuse('one of assets and shares must be 0, and the other not')
  return someAmount(assets)
}

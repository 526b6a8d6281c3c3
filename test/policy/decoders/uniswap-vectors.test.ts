// The calldata that Uniswap's own SDK writes. What each is to decode to is worked out here with viem's decoders.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, test } from 'node:test'
import { decodeAbiParameters, decodeFunctionData, type Hex, parseAbi, parseAbiParameters, sliceHex } from 'viem'
import { addresses } from '../../../scripts/local-chain/addresses.ts'
import { toAddress } from '../../../src/lib/address.ts'
import { decode } from '../../../src/policy/decode.ts'
import type { Flow } from '../../../src/policy/decoded-action.ts'

type Vector = Readonly<{ calldata: Hex; value: string }>
type Command = Readonly<{ byte: number; input: Hex }>

const file = new URL('../../vectors/uniswap/ur-sdk-interop.json', import.meta.url)
const expectedFile = new URL('../../vectors/uniswap/ur-sdk-expected.json', import.meta.url)
const expected = JSON.parse(readFileSync(expectedFile, 'utf8')) as Record<string, readonly [string, string]>
const vectors = Object.entries(JSON.parse(readFileSync(file, 'utf8')) as Record<string, Vector>)

const WALLET = toAddress(`0x${'aa'.repeat(20)}`)
const ROUTER = toAddress(addresses.uniswap.universalRouter20)
const WETH = toAddress(addresses.tokens.WETH)
/** Calls of the position managers, and the creation of pools. */
const OUT_OF_SCOPE = [0x11, 0x12, 0x13, 0x14]
const BOOKS = 0x10

const EXECUTE = parseAbi([
  'function execute(bytes commands, bytes[] inputs)',
  'function execute(bytes commands, bytes[] inputs, uint256 deadline)',
])
const SWAP = {
  v3: parseAbiParameters('address to, uint256 amount, uint256 limit, bytes path, bool walletPays'),
  v2: parseAbiParameters('address to, uint256 amount, uint256 limit, address[] path, bool walletPays'),
}
const AMOUNT_TO = parseAbiParameters('address to, uint256 amount')
const TOKEN_TO = parseAbiParameters('address token, address to, uint256 amount')
const PERMIT = parseAbiParameters([
  'PermitSingle permit, bytes signature',
  'struct PermitSingle { PermitDetails details; address spender; uint256 sigDeadline; }',
  'struct PermitDetails { address token; uint160 amount; uint48 expiration; uint48 nonce; }',
])

function commandsOf({ calldata }: Vector): readonly Command[] {
  const [commands, inputs] = decodeFunctionData({ abi: EXECUTE, data: calldata }).args
  return inputs.map((input, i) => ({ byte: Number(sliceHex(commands, i, i + 1)), input }))
}

const decodeVector = ({ calldata, value }: Vector) =>
  decode({ protocol: 'uniswap', chainId: 1, to: ROUTER, value, data: calldata }, WALLET)

type Swap = Readonly<{
  sells: string
  buys: string
  to: string
  amount: bigint
  limit: bigint
  walletPays: boolean
  exactIn: boolean
}>

function swapOf({ byte, input }: Command): Swap | undefined {
  const exactIn = byte === 0x00 || byte === 0x08
  if (byte === 0x08 || byte === 0x09) {
    const [to, amount, limit, path, walletPays] = decodeAbiParameters(SWAP.v2, input)
    return { sells: path[0] ?? '', buys: path.at(-1) ?? '', to, amount, limit, walletPays, exactIn }
  }
  if (byte !== 0x00 && byte !== 0x01) return undefined
  const [to, amount, limit, path, walletPays] = decodeAbiParameters(SWAP.v3, input)
  const ends = [sliceHex(path, 0, 20), sliceHex(path, -20)]
  const [sells = '', buys = ''] = exactIn ? ends : ends.reverse()
  return { sells, buys, to, amount, limit, walletPays, exactIn }
}

/** Whom a recipient means. */
function partyOf(to: string): string {
  if (BigInt(to) === 1n) return WALLET
  return BigInt(to) === 2n ? ROUTER : toAddress(to)
}

type Expected = Readonly<{ asset: string; amount: bigint; party: string }>

/**
 * What leaves at most: the value that comes along without what must come back of it, or what the swaps that the wallet
 * pays sell.
 */
function expectedSpend(commands: readonly Command[], value: bigint): Expected {
  const swaps = commands.flatMap((command) => swapOf(command) ?? [])
  if (value === 0n) {
    const paid = swaps.filter(({ walletPays }) => walletPays)
    const amount = paid.reduce((sum, { amount, limit, exactIn }) => sum + (exactIn ? amount : limit), 0n)
    return { asset: toAddress(paid[0]?.sells ?? ''), amount, party: WALLET }
  }
  const left = swaps.filter(({ exactIn }) => !exactIn).reduce((rest, { limit }) => rest - limit, value)
  const sure = swaps.every(({ exactIn }) => exactIn) ? 0n : left
  const demanded = commands.reduce((most, { byte, input }) => {
    return byte === 0x0c && swaps[0]?.exactIn === false ? most + decodeAbiParameters(AMOUNT_TO, input)[1] : most
  }, 0n)
  return { asset: 'native', amount: value - (demanded > sure ? demanded : sure), party: WALLET }
}

/**
 * What arrives at least. The swaps whose output the router holds are followed by fees and then by a sweep or an unwrap
 * with the minimum of the whole; the others pay their recipient themselves.
 */
function expectedReceipts(commands: readonly Command[], bought: string): readonly Expected[] {
  const swaps = commands.flatMap((command) => swapOf(command) ?? []).filter(({ buys }) => toAddress(buys) === bought)
  const least = ({ amount, limit, exactIn }: Swap) => (exactIn ? limit : amount)
  const sumOf = (some: readonly Swap[]) => some.reduce((sum, swap) => sum + least(swap), 0n)
  let held = sumOf(swaps.filter(({ to }) => partyOf(to) === ROUTER))
  const receipts: Expected[] = []
  const shares: { bips: bigint; party: string; at: number }[] = []
  const direct = sumOf(swaps.filter(({ to }) => partyOf(to) === WALLET))
  if (direct > 0n) receipts.push({ asset: bought, amount: direct, party: WALLET })
  for (const { byte, input } of commands) {
    if (byte === 0x05 || byte === 0x06) {
      const [token, to, amount] = decodeAbiParameters(TOKEN_TO, input)
      assert.equal(toAddress(token), bought)
      const fee = byte === 0x05 ? amount : (held * amount) / 10_000n
      if (byte === 0x06) shares.push({ bips: amount, party: partyOf(to), at: receipts.length })
      receipts.push({ asset: bought, amount: fee, party: partyOf(to) })
      held = held > fee ? held - fee : 0n
    }
    const unwraps = byte === 0x0c && bought === WETH
    if (byte !== 0x04 && !unwraps) continue
    const [token, to, min] = unwraps
      ? [bought, ...decodeAbiParameters(AMOUNT_TO, input)]
      : decodeAbiParameters(TOKEN_TO, input)
    // A sweep of what was sold gives back a rest.
    if (toAddress(token) !== bought) continue
    // What is left after a share is guarded, and so was the whole that the share was of.
    const share = min > held ? shares.pop() : undefined
    if (share) {
      let whole = min
      while (whole - (whole * share.bips) / 10_000n < min)
        whole += 1n + (min - whole + (whole * share.bips) / 10_000n) / 2n
      while (whole - 1n - ((whole - 1n) * share.bips) / 10_000n >= min) whole -= 1n
      receipts[share.at] = { asset: bought, amount: (whole * share.bips) / 10_000n, party: share.party }
    }
    receipts.push({ asset: unwraps ? 'native' : bought, amount: min > held ? min : held, party: partyOf(to) })
  }
  return receipts
}

const FEE_TAKER = `0x${'bb'.repeat(20)}`
const SYMBOLS = new Map<string, string>([
  ['native', 'ETH'],
  ...Object.entries(addresses.tokens).map(([symbol, token]) => [toAddress(token), symbol] as const),
])
const flowText = ({ asset, amount, bound }: Flow) =>
  `${{ exact: '=', min: '>=', max: '<=' }[bound]} ${amount} ${SYMBOLS.get(asset) ?? asset}`

const plain = ({ asset, amount, party }: Flow | Expected): Expected => ({ asset, amount, party })
const inOrder = (flows: readonly Expected[]) => flows.toSorted((a, b) => a.party.localeCompare(b.party))

describe('calldata of Uniswap’s SDK', () => {
  const has = (vector: Vector, ...bytes: readonly number[]) =>
    commandsOf(vector).some(({ byte }) => bytes.includes(byte))
  const inScope = vectors.filter(([, vector]) => !has(vector, ...OUT_OF_SCOPE))
  const plain2and3 = inScope.filter(([, vector]) => !has(vector, BOOKS))

  test('there are 80, of which 74 are decoded, 36 of them without a swap on the books of version 4', () => {
    assert.deepEqual([vectors.length, inScope.length, plain2and3.length], [80, 74, 36])
  })

  for (const [name, vector] of plain2and3)
    test(`${name}: what leaves, what arrives and for whom`, () => {
      const decoded = decodeVector(vector)
      assert.ok(decoded.ok, decoded.ok ? '' : decoded.reason)
      const commands = commandsOf(vector)
      const main = decoded.value.legs.at(-1)
      assert.ok(main?.kind === 'swap')
      const last = commands.findLast((command) => swapOf(command) !== undefined)
      const bought = toAddress((last && swapOf(last)?.buys) ?? '')
      assert.deepEqual(main.spends.map(plain), [expectedSpend(commands, BigInt(vector.value))])
      assert.deepEqual(inOrder(main.receives.map(plain)), inOrder(expectedReceipts(commands, bought)))
      assert.ok(main.receives.some(({ party, amount }) => party === WALLET && amount > 0n))
      const permits = commands.filter(({ byte }) => byte === 0x0a)
      const grants = permits.map(({ input }) => {
        const [{ details, spender }] = decodeAbiParameters(PERMIT, input)
        const { token, amount, expiration } = details
        return { asset: toAddress(token), owner: WALLET, spender: toAddress(spender), amount, expiresAt: expiration }
      })
      assert.deepEqual(
        decoded.value.legs.flatMap((leg) => leg.grants.map(({ unlimited: _, ...grant }) => grant)),
        grants,
      )
    })

  test('those with a swap on the books, against what was worked out by hand', () => {
    const found = inScope.flatMap(([name, vector]) => {
      if (!has(vector, BOOKS) && expected[name] === undefined) return []
      const decoded = decodeVector(vector)
      assert.ok(decoded.ok, name)
      const { spends, receives } = decoded.value.legs.at(-1) ?? assert.fail()
      const receipts = receives.map((flow) => `${flowText(flow)} to ${flow.party === WALLET ? 'wallet' : flow.party}`)
      return [
        [name, [spends.map(flowText).join(', '), receipts.join(', ').replaceAll(FEE_TAKER, 'fee taker')]] as const,
      ]
    })
    assert.deepEqual(Object.fromEntries(found), expected)
  })

  test('all others are refused at the first command that is out of scope', () => {
    for (const [name, vector] of vectors) {
      if (inScope.some(([known]) => known === name)) continue
      const decoded = decodeVector(vector)
      assert.ok(!decoded.ok, name)
      const at = commandsOf(vector).findIndex(({ byte }) => OUT_OF_SCOPE.includes(byte))
      assert.match(decoded.reason, new RegExp(`command ${at} .* is not decoded`), name)
    }
  })
})

// What a transaction does to balances on the local chain, seen in two ways that do not know the decoders: the balances
// before and after, and the logs of every transfer. Nothing is mined: each observation starts from the same state.
import assert from 'node:assert/strict'
import { decodeAbiParameters, encodeFunctionData, type Hex, parseAbi, parseAbiParameters, toEventSelector } from 'viem'
import type { LocalChain } from '../../scripts/local-chain/index.ts'
import { type Address, toAddress, ZERO_ADDRESS } from '../../src/lib/address.ts'
import type { Encoded } from '../support/encode.ts'

/** Net changes by `asset party`; assets are token addresses in lower case, or `native`. */
export type Changes = ReadonlyMap<string, bigint>

export type Observed = Readonly<
  | {
      ok: true
      changes: Changes
      /** Who sent what at all, whether or not it came back. */
      sent: ReadonlySet<string>
    }
  | { ok: false; reason: string }
>

/** Storage, code and balances that differ from the chain's for one observation. */
export type Overrides = Readonly<Record<string, object>>

/** A function that is asked before and after the transaction. */
export type Question = Readonly<{ to: string; data: Hex }>
export type Answers = Readonly<{ before: Hex; after: Hex }>

const TRANSFER = toEventSelector('Transfer(address,address,uint256)')
const DEPOSIT = toEventSelector('Deposit(address,uint256)')
const WITHDRAWAL = toEventSelector('Withdrawal(address,uint256)')
/** Where nodes log the chain's own coin when transfers are traced. */
const NATIVE_LOG = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee'

/** Answers the balance of the address that it is called with: `balance(calldataload(0) >> 96)`. */
const TELLER = '0x00000000000000000000000000000000ba1a9ce0'
const TELLER_CODE = '0x60003560601c3160005260206000f3'

const BALANCE_OF = parseAbi(['function balanceOf(address)'])

type Log = Readonly<{ address: Hex; topics: readonly Hex[]; data: Hex }>
type CallAnswer = Readonly<{
  status: Hex
  returnData: Hex
  logs?: readonly Log[]
  error?: Readonly<{ message: string }>
}>

/** Runs a transaction of an account, and gives what it changed for `parties` by their balances and for all by logs. */
export async function observe(
  chain: LocalChain,
  { from, to, data, value }: Pick<Encoded, 'to' | 'data' | 'value'> & Readonly<{ from: string }>,
  parties: readonly string[],
  options: Readonly<{ overrides?: Overrides; questions?: readonly Question[] }> = {},
): Promise<Observed & Readonly<{ answers: readonly Answers[] }>> {
  const assets = ['native', ...Object.values(chain.addresses.tokens).map(toAddress)]
  const pairs = [...new Set(parties.map(toAddress))].flatMap((party) => assets.map((asset) => [asset, party] as const))
  const balances = pairs.map(([asset, party]) => balanceCall(asset, party))
  const { questions = [], overrides = {} } = options
  const asked = [...balances, ...questions.map(asCall)]
  const calls = [...asked, { from, to, data, value, gas: '0x989680' }, ...asked]
  const stateOverrides = { [TELLER]: { code: TELLER_CODE }, ...overrides }
  const block = { blockStateCalls: [{ calls, stateOverrides, blockOverrides: { gasLimit: '0x77359400' } }] }
  const answer = await chain.request('eth_simulateV1', [{ ...block, traceTransfers: true }, 'latest'])
  const [{ calls: results }] = answer as [{ calls: readonly CallAnswer[] }]
  assert.equal(results.length, calls.length)
  const run = results[asked.length]
  assert.ok(run)
  const answerOf = (i: number) => results[i]?.returnData ?? '0x'
  const answers = questions.map((_, i) => ({
    before: answerOf(balances.length + i),
    after: answerOf(asked.length + 1 + balances.length + i),
  }))
  if (run.status !== '0x1') return { ok: false, reason: run.error?.message ?? run.returnData, answers }
  const { changes, sent } = netOf(chain, run.logs ?? [])
  for (const [i, [asset, party]] of pairs.entries()) {
    const change = wordOf(results[asked.length + 1 + i]) - wordOf(results[i])
    assert.equal(changes.get(`${asset} ${party}`) ?? 0n, change, `logs and balances differ for ${asset} of ${party}`)
  }
  return { ok: true, changes, sent, answers }
}

function balanceCall(asset: string, party: Address) {
  if (asset === 'native') return asCall({ to: TELLER, data: party })
  return asCall({ to: asset, data: encodeFunctionData({ abi: BALANCE_OF, args: [party] }) })
}

function asCall({ to, data }: Question) {
  return { from: ZERO_ADDRESS, to, data, gas: '0x30d40' }
}

function wordOf(answer: CallAnswer | undefined): bigint {
  assert.equal(answer?.status, '0x1')
  return decodeAbiParameters(parseAbiParameters('uint256'), answer.returnData)[0]
}

/** The wrapped coin logs what it mints and burns with events of its own. */
function netOf(chain: LocalChain, logs: readonly Log[]): Pick<Observed & Readonly<{ ok: true }>, 'changes' | 'sent'> {
  const wrapped = toAddress(chain.addresses.tokens.WETH)
  const changes = new Map<string, bigint>()
  const sent = new Set<string>()
  const add = (asset: string, party: Hex | undefined, amount: bigint) => {
    if (party === undefined) return
    const key = `${asset} ${toAddress(`0x${party.slice(26)}`)}`
    changes.set(key, (changes.get(key) ?? 0n) + amount)
    if (amount < 0n) sent.add(key)
  }
  for (const { address, topics, data } of logs) {
    const [event, first, second] = topics
    const asset = address === NATIVE_LOG ? 'native' : toAddress(address)
    const amount = event === TRANSFER || asset === wrapped ? BigInt(data.slice(0, 66)) : 0n
    if (event === TRANSFER) {
      add(asset, first, -amount)
      add(asset, second, amount)
    } else if (asset === wrapped && event === DEPOSIT) add(asset, first, amount)
    else if (asset === wrapped && event === WITHDRAWAL) add(asset, first, -amount)
  }
  return { changes: new Map([...changes].filter(([, amount]) => amount !== 0n)), sent }
}

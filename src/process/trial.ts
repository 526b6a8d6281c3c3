import { type ChainCall, type ChainClient, type Chains, readPoolImpacts, type SequencedCall } from '../chain/index.ts'
import { type Address, toAddress } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'
import { isEvmTx } from '../schema/action.ts'
import type { Simulated, Trial } from '../validation/index.ts'

const BALANCE_OF = '0x70a08231'
const TRANSFER = '0xa9059cbb'
/** Whom probes are sent to: nobody has its key, and no list its name. */
const NOBODY: Address = '0xc0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0c0'
const CALLS_OF_PROBE = 3

/**
 * Runs a candidate's steps after each other on a node of their chain: each sees what those before it did. Undefined where no
 * node is set. Where the node cannot run several calls the first step is run alone.
 *
 * @throws CountersignError unavailable where the node does not answer
 */
export async function runTrial(chains: Pick<Chains, 'of'>, trial: Trial): Promise<Simulated | undefined> {
  const steps = stepsOf(trial)
  const chain = trial.txs[0] && chains.of(trial.txs[0].chainId)
  if (steps === undefined || chain === undefined) return undefined
  const balances = trial.watched.map(({ asset, holder }) => balanceCall(asset, holder))
  const calls = [...balances, ...steps, ...balances, ...trial.probes.flatMap(probeCalls)]
  const simulated = await chain.simulateSequence(calls)
  if (simulated === null) return firstAlone(chain, steps)
  if (!simulated.ok) return nothingKnown(steps.length, { step: 0, reason: simulated.reason })
  return readTrial(chain, trial, steps.length, simulated.value)
}

/** The steps as calls; undefined where one is none, or they run on several chains. */
function stepsOf({ txs, wallet }: Trial): readonly [ChainCall, ...ChainCall[]] | undefined {
  const calls = txs.flatMap((tx): readonly ChainCall[] =>
    isEvmTx(tx) && tx.chainId === txs[0]?.chainId
      ? [{ from: wallet, to: toAddress(tx.to), data: tx.data, value: BigInt(tx.value) }]
      : [],
  )
  const [first, ...rest] = calls
  return first === undefined || calls.length !== txs.length ? undefined : [first, ...rest]
}

async function readTrial(
  chain: ChainClient,
  { watched, probes }: Trial,
  steps: number,
  calls: readonly SequencedCall[],
): Promise<Simulated> {
  const [before, run, after] = [
    calls.slice(0, watched.length),
    calls.slice(watched.length, watched.length + steps),
    calls.slice(watched.length + steps, 2 * watched.length + steps),
  ]
  const failed = run.findIndex(({ ok: runs }) => !runs)
  const failure = run[failed]
  if (failure && !failure.ok) return nothingKnown(steps, { step: failed, reason: failure.reason })
  const tried = calls.slice(2 * watched.length + steps)
  const trades = run.flatMap((one) => (one.ok ? one.trades : []))
  return {
    steps,
    failed: null,
    changes: watched.map((_, i) => difference(before[i], after[i])),
    arrivals: probes.map((_, i) => arrivalOf(tried.slice(CALLS_OF_PROBE * i, CALLS_OF_PROBE * (i + 1)))),
    pools: await readPoolImpacts(chain, trades),
  }
}

async function firstAlone(chain: ChainClient, [first]: readonly [ChainCall, ...ChainCall[]]): Promise<Simulated> {
  const returned = await chain.call(first)
  return nothingKnown(1, returned.ok ? null : { step: 0, reason: returned.reason })
}

function nothingKnown(steps: number, failed: Simulated['failed']): Simulated {
  return { steps, failed, changes: null, arrivals: null, pools: null }
}

function balanceCall(asset: Address, holder: Address): ChainCall {
  return { to: asset, data: `${BALANCE_OF}${word(BigInt(holder))}` }
}

function probeCalls({ asset, holder, amount }: Trial['probes'][number]): readonly ChainCall[] {
  const transfer: Hex = `${TRANSFER}${word(BigInt(NOBODY))}${word(amount)}`
  const balance = balanceCall(asset, NOBODY)
  return [balance, { from: holder, to: asset, data: transfer }, balance]
}

function word(value: bigint): string {
  return value.toString(16).padStart(64, '0')
}

function arrivalOf([before, transfer, after]: readonly SequencedCall[]): Result<bigint> {
  if (transfer === undefined) return refuse('it was not tried')
  if (!transfer.ok) return refuse(transfer.reason)
  const change = difference(before, after)
  return change === null ? refuse('the token does not say what anybody has') : ok(change)
}

function difference(before: SequencedCall | undefined, after: SequencedCall | undefined): bigint | null {
  const [from, to] = [before, after].map((one) =>
    one?.ok && /^0x[0-9a-f]{64}$/i.test(one.data) ? BigInt(one.data) : undefined,
  )
  return from === undefined || to === undefined ? null : to - from
}

import type { Simulation } from '../chain/index.ts'
import type { Address } from '../lib/address.ts'
import { formatDecimal, formatUsd, valueOf } from '../lib/usd.ts'
import { isEvmTx, type ProposedTx } from '../schema/action.ts'
import type { Verdict } from '../schema/verdict.ts'
import { gasOf } from './gas-estimate.ts'
import type { ProposedStep, Reader, SimulatedStep } from './tool.ts'
import { verdictCard } from './verdict-card.ts'

/** What a simulation asks: the verdicts that steps would get, and what the chain would make of one. */
export type Rehearsal = Readonly<{
  /** In the order of the steps. Nothing is stored. */
  preview(txs: readonly ProposedTx[]): Promise<readonly Verdict[]>
  /** Nothing where no node can be asked. */
  run(tx: ProposedTx): Promise<Simulation | undefined>
}>

type World = Readonly<{ wallet: Address; reader: Reader; rehearsal: Rehearsal }>

/** What steps would do, one by one: what leaves and arrives by their bytes, what they would cost, and how they would be decided. */
export async function simulateSteps(
  steps: readonly ProposedStep[],
  { wallet, reader, rehearsal }: World,
): Promise<readonly SimulatedStep[]> {
  const verdicts = await rehearsal.preview(steps.map(({ tx }) => tx))
  const price = await reader.usdPrice({ address: 'native', symbol: '', decimals: 18 }).catch(() => undefined)
  return Promise.all(
    steps.map(async ({ summary, tx }, i): Promise<SimulatedStep> => {
      const verdict = verdicts[i]
      const run = await rehearsal.run(tx).catch(() => undefined)
      const { outcome, reasonCode, humanReason, triggeringPolicyField } = verdict ?? UNDECIDED
      const { lines } = verdict ? verdictCard({ requestHash: '', title: summary, verdict, wallet }) : { lines: [] }
      return {
        step: summary,
        effects: lines.map(({ label, text }) => `${label}: ${text}`),
        verdict: { outcome, reasonCode, humanReason, triggeringPolicyField },
        gas: isEvmTx(tx) ? await costOf(verdict, run, reader, price) : null,
        onChain: run === undefined ? 'not known' : run.ok ? 'would work' : wouldFail(run.reason, i),
      }
    }),
  )
}

const UNDECIDED = {
  outcome: 'rejected',
  reasonCode: 'data_unavailable',
  humanReason: 'It was not decided.',
  triggeringPolicyField: null,
} as const

function wouldFail(reason: string, before: number): string {
  return `would fail: ${reason}${before > 0 ? ' (the steps before it have not happened, and it may need them)' : ''}`
}

/** By the node where it ran, else by what such an action usually takes. */
async function costOf(
  verdict: Verdict | undefined,
  run: Simulation | undefined,
  reader: Reader,
  price: number | undefined,
): Promise<string> {
  const { base, tip } = await reader.fees()
  const measured = run?.ok ? run.gasUsed : null
  const units = measured ?? gasOf(verdict?.evidence.decodedActions ?? [])
  const wei = units * (base + tip)
  const usd = price === undefined ? '' : `, ${formatUsd(valueOf(wei, 18, BigInt(Math.round(price * 1e8)), 'up'))}`
  return `${measured === null ? 'about ' : ''}${units} gas, ${formatDecimal(wei, 18)} of the chain's coin${usd}`
}

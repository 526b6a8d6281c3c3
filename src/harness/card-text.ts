import { chainOf } from '../registry/index.ts'
import type { VerdictCard } from './verdict-card.ts'

const MARKS = { passed: '✓', failed: '✗', not_checked: '–' } as const

/** Words and sign of an outcome. */
export const OUTCOME_TEXT = { approved: '✓ Approved', rejected: '✗ Rejected', pending: '… Waits for a person' } as const

/** All checks of a card, each with its sign and its reason. Plain text. */
export function checksText({ title, requestHash, checks }: VerdictCard): string {
  const lines = checks.map(({ id, status, reason }) => `${MARKS[status]} ${nameOf(id)}: ${reason}`)
  return [title, ...lines, `Request ${requestHash}`].join('\n')
}

/** The checks of a card in few lines: what failed with its reason, all else by name. */
export function shortChecks({ checks }: VerdictCard): readonly string[] {
  const names = (wanted: 'passed' | 'not_checked') =>
    checks.filter(({ status }) => status === wanted).map(({ id }) => nameOf(id))
  const failed = checks
    .filter(({ status }) => status === 'failed')
    .map(({ id, reason }) => `✗ ${nameOf(id)}: ${reason}`)
  const [passed, open] = [names('passed'), names('not_checked')]
  return [
    ...failed,
    ...(passed.length > 0 ? [`✓ ${passed.join(', ')}`] : []),
    ...(open.length > 0 ? [`– not checked: ${open.join(', ')}`] : []),
  ]
}

/** A check's name for people. */
export function nameOf(checkId: string): string {
  return checkId.replaceAll('_', ' ')
}

/** Where a card's transaction is shown by the chain's public explorer. */
export function explorerLink({ execution, chainId }: VerdictCard): string | undefined {
  const chain = chainId === undefined ? undefined : chainOf(chainId)
  if (!chain || !execution?.txHash) return undefined
  return `${chain.explorerTx}${execution.txHash}`
}

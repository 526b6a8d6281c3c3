/** A verdict as a person sees it, made from the decoded bytes and never from a model's words. */
export type VerdictCard = Readonly<{
  requestHash: string
  /** What was asked for, in the tool's words. */
  title: string
  outcome: 'pending' | 'approved' | 'rejected'
  reasonCode: string
  reason: string
  /** Decoded facts as label and text: what leaves, what arrives at least, to whom, where, USD value. */
  lines: readonly Readonly<{ label: string; text: string }>[]
  checks: readonly Readonly<{ id: string; status: 'passed' | 'failed' | 'not_checked'; reason: string }>[]
  /** What became of it, where it was approved. */
  execution: Readonly<{ mode: 'dry-run' | 'direct'; ok: boolean; text: string; txHash: string | null }> | null
}>

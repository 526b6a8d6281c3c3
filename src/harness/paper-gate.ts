import type { Gate } from './gate.ts'
import type { Paper } from './paper.ts'

/**
 * A gate that fills on paper what another one has rehearsed. It has no key and reaches no chain: what it executes is
 * written down. Anything but a rehearsal is handed on as it is.
 */
export function createPaperGate(gate: Pick<Gate, 'execute'>, paper: Pick<Paper, 'fill'>): Pick<Gate, 'execute'> {
  return {
    async execute(approval) {
      const rehearsed = await gate.execute(approval)
      if (rehearsed.mode !== 'dry-run') return rehearsed
      const filled = await paper.fill(approval)
      if (!filled.ok) return { mode: 'dry-run', ok: false, reason: filled.reason, stops: true }
      // The chain does not have what paper has: that a step fails there is said, and decides nothing.
      const alone = rehearsed.ok ? '' : ` On the chain as it is this would fail: ${rehearsed.reason}`
      const assetChanges = rehearsed.ok ? rehearsed.assetChanges : null
      return { mode: 'dry-run', ok: true, assetChanges, words: `${filled.value}${alone}` }
    },
  }
}

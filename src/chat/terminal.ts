import type { RenderOptions } from './render.ts'

/** Longer lines are hard to read. */
const MOST_COLUMNS = 100

/** How the terminal is written to now: colours where it has them and NO_COLOR is not set, and its width. */
export function look(): RenderOptions {
  const { stdout } = process
  if (!stdout.isTTY) return { color: false, width: 80 }
  return { color: stdout.hasColors(), width: Math.min(stdout.columns, MOST_COLUMNS) }
}

import type { Sample } from './run.ts'

const HEIGHT = 12
const MOST_COLUMNS = 90

/** What it was worth, day by day, beside doing nothing: `*` and `.`, or `#` where both are at one place. */
export function chartOf(samples: readonly Sample[], width: number): readonly string[] {
  const columns = Math.max(2, Math.min(width - 14, MOST_COLUMNS, samples.length))
  const picked = Array.from(
    { length: columns },
    (_, i) => samples[Math.round((i * (samples.length - 1)) / (columns - 1))],
  )
  const points = picked.flatMap((one) => (one ? [{ worth: dollars(one.worth), hold: dollars(one.hold) }] : []))
  const all = points.flatMap(({ worth, hold }) => [worth, hold])
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const rowOf = (value: number) => (high === low ? 0 : Math.round(((value - low) / (high - low)) * (HEIGHT - 1)))
  const lines = Array.from({ length: HEIGHT }, (_, i) => {
    const row = HEIGHT - 1 - i
    const value = row === HEIGHT - 1 ? high : row === 0 ? low : undefined
    const drawn = points.map(({ worth, hold }) => {
      const [own, other] = [rowOf(worth) === row, rowOf(hold) === row]
      return own && other ? '#' : own ? '*' : other ? '.' : ' '
    })
    return `${(value === undefined ? '' : label(value)).padStart(11)} |${drawn.join('').trimEnd()}`
  })
  const [first, last] = [samples[0]?.day ?? '', samples.at(-1)?.day ?? '']
  const gap = Math.max(1, columns - first.length - last.length)
  return [...lines, `${' '.repeat(12)}+${'-'.repeat(columns)}`, `${' '.repeat(13)}${first}${' '.repeat(gap)}${last}`]
}

function label(value: number): string {
  return `$${Math.round(value).toLocaleString('en-US')}`
}

function dollars(micro: bigint): number {
  return Number(micro) / 1e6
}

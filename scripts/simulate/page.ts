import type { Section } from './report.ts'
import type { Sample } from './run.ts'

const WIDTH = 800
const HEIGHT = 260
const MARGIN = 8

/** The result as a page of its own, with a drawn chart. */
export function pageOf(sections: readonly Section[], samples: readonly Sample[]): string {
  const body = sections.map(
    ({ title, lines }) =>
      `<h2>${escaped(title)}</h2>\n<ul>\n${lines.map((line) => `<li>${escaped(line)}</li>`).join('\n')}\n</ul>`,
  )
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>${escaped(sections[0]?.title ?? 'Simulation')}</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 860px; margin: 2rem auto; padding: 0 1rem; color: #212529 }
svg { width: 100%; height: auto; border: 1px solid #dee2e6 }
li { white-space: pre-wrap }
</style>
</head>
<body>
<h1>${escaped(sections[0]?.title ?? 'Simulation')}</h1>
<figure>
<svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="Worth at the end of each day">
${lineOf(samples, 'hold', '#868e96')}
${lineOf(samples, 'worth', '#3358d4')}
</svg>
<figcaption>Worth at the end of each day, ${samples[0]?.day ?? ''} to ${samples.at(-1)?.day ?? ''}: blue with the skill, grey doing nothing.</figcaption>
</figure>
${body.join('\n')}
</body>
</html>
`
}

function lineOf(samples: readonly Sample[], key: 'worth' | 'hold', colour: string): string {
  const all = samples.flatMap(({ worth, hold }) => [Number(worth), Number(hold)])
  const [low, high] = [Math.min(...all), Math.max(...all)]
  const points = samples.map((one, i) => {
    const x = MARGIN + (i * (WIDTH - 2 * MARGIN)) / Math.max(1, samples.length - 1)
    const share = high === low ? 0.5 : (Number(one[key]) - low) / (high - low)
    return `${x.toFixed(1)},${(HEIGHT - MARGIN - share * (HEIGHT - 2 * MARGIN)).toFixed(1)}`
  })
  return `<polyline fill="none" stroke="${colour}" stroke-width="2" points="${points.join(' ')}"/>`
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;')
}

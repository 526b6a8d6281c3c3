import { pngOf } from '../lib/png.ts'

/** One bar: what it is, its value in words, and how long it is, from 0 to 1. What is above 1 is drawn full, and red. */
export type Bar = Readonly<{ label: string; value: string; share: number }>

type Colour = Readonly<[red: number, green: number, blue: number]>

const PAPER: Colour = [255, 255, 255]
const INK: Colour = [33, 37, 41]
const RAIL: Colour = [233, 236, 239]
const FULL: Colour = [51, 88, 212]
const OVER: Colour = [198, 40, 40]
/** Steps from a colour to the paper: edges are soft. */
const STEPS = 8
const INKS = [INK, RAIL, FULL, OVER]
const PALETTE = [PAPER, ...INKS.flatMap((ink) => Array.from({ length: STEPS }, (_, i) => mixed(ink, (i + 1) / STEPS)))]

const WIDTH = 720
const MARGIN = 28
const ROW = 78
const HEADING = 56
const BAR = 16
/** Picture points of one point of a letter, and of one letter with the space behind it. */
const SCALE = 3.4
const LETTER = 6 * SCALE
/** How much larger a heading is written. */
const LARGER = 1.15

/** Bars as a PNG in base64, wide enough for a phone, below what they are of. */
export function barChart(bars: readonly Bar[], heading = ''): string {
  const top = MARGIN + (heading === '' ? 0 : HEADING)
  const height = top + bars.length * ROW
  const points = new Uint8Array(WIDTH * height)
  const draw = (x: number, y: number, ink: Colour, cover: number) => {
    const step = Math.round(Math.min(1, cover) * STEPS)
    const at = y * WIDTH + x
    if (step > 0 && x >= 0 && x < WIDTH && y < height) points[at] = INKS.indexOf(ink) * STEPS + step
  }
  const room = WIDTH - 2 * MARGIN
  const most = Math.floor(room / LETTER) - 1
  write(draw, heading.slice(0, Math.floor(most / LARGER)), MARGIN, MARGIN, LARGER)
  for (const [i, { label, value, share }] of bars.entries()) {
    const y = top + i * ROW
    const shown = value.slice(0, most)
    write(draw, label.slice(0, Math.max(0, most - shown.length)), MARGIN, y)
    write(draw, shown, WIDTH - MARGIN - shown.length * LETTER, y)
    pill(draw, y + 32, room, RAIL)
    pill(draw, y + 32, Math.round(room * Math.min(1, Math.max(0, share))), share > 1 ? OVER : FULL)
  }
  return pngOf({ width: WIDTH, height, palette: PALETTE, points }).toString('base64')
}

type Draw = (x: number, y: number, ink: Colour, cover: number) => void

function mixed(ink: Colour, share: number): Colour {
  const [red, green, blue] = PAPER.map((paper, i) => Math.round(paper + ((ink[i] ?? 0) - paper) * share))
  return [red ?? 0, green ?? 0, blue ?? 0]
}

/** A bar with round ends. */
function pill(draw: Draw, y: number, width: number, ink: Colour): void {
  const radius = Math.min(BAR / 2, width / 2)
  for (let row = 0; row < BAR; row++)
    for (let column = 0; column < width; column++) {
      const inside = Math.max(radius - column - 0.5, column + 0.5 - (width - radius), 0)
      draw(MARGIN + column, y + row, ink, radius + 0.5 - Math.hypot(inside, row + 0.5 - BAR / 2))
    }
}

function write(draw: Draw, text: string, x: number, y: number, larger = 1): void {
  const scale = SCALE * larger
  for (const [i, letter] of Array.from(text).entries()) {
    const strokes = strokesOf(FONT[letter] ?? FONT['-'] ?? '')
    const left = Math.round(x + i * LETTER * larger)
    for (let row = 0; row < 8 * scale; row++)
      for (let column = 0; column < 6 * scale; column++) {
        const [px, py] = [(column + 0.5) / scale - 0.5, (row + 0.5) / scale - 0.5]
        const near = strokes.reduce((least, stroke) => Math.min(least, distance(stroke, px, py)), 9)
        draw(left + column, y + row, INK, (THICK - near) * scale + 0.5)
      }
  }
}

/** Half of a stroke's width, in points of a letter. */
const THICK = 0.44

type Stroke = Readonly<{ x: number; y: number; dx: number; dy: number }>

/** A letter's points as strokes from each to the next: drawn with a round pen, they have no corners. */
function strokesOf(columns: string): readonly Stroke[] {
  const has = (x: number, y: number) => x >= 0 && x < 5 && y >= 0 && ((bitsOf(columns, x) >> y) & 1) === 1
  const strokes: Stroke[] = []
  for (let x = 0; x < 5; x++)
    for (let y = 0; y < 7; y++) {
      if (!has(x, y)) continue
      strokes.push({ x, y, dx: 0, dy: 0 })
      if (has(x + 1, y)) strokes.push({ x, y, dx: 1, dy: 0 })
      if (has(x, y + 1)) strokes.push({ x, y, dx: 0, dy: 1 })
      for (const dy of [-1, 1])
        if (has(x + 1, y + dy) && !has(x + 1, y) && !has(x, y + dy)) strokes.push({ x, y, dx: 1, dy })
    }
  return strokes
}

function bitsOf(columns: string, x: number): number {
  return Number.parseInt(columns.slice(x * 2, x * 2 + 2), 16)
}

function distance({ x, y, dx, dy }: Stroke, px: number, py: number): number {
  const length = dx * dx + dy * dy
  const along = length === 0 ? 0 : Math.min(1, Math.max(0, ((px - x) * dx + (py - y) * dy) / length))
  return Math.hypot(px - x - along * dx, py - y - along * dy)
}

/** Five columns a letter, in hex, the lowest bit on top. */
const FONT: Readonly<Record<string, string>> = {
  ' ': '0000000000',
  $: '242a7f2a12',
  '+': '08083e0808',
  '(': '001c224100',
  ')': '0041221c00',
  '%': '2313086462',
  ',': '0050300000',
  '.': '0060600000',
  '-': '0808080808',
  '/': '2010080402',
  ':': '0036360000',
  '0': '3e5149453e',
  '1': '00427f4000',
  '2': '4261514946',
  '3': '2141454b31',
  '4': '1814127f10',
  '5': '2745454539',
  '6': '3c4a494930',
  '7': '0171090503',
  '8': '3649494936',
  '9': '064949291e',
  A: '7e1111117e',
  B: '7f49494936',
  C: '3e41414122',
  D: '7f4141221c',
  E: '7f49494941',
  F: '7f09090901',
  G: '3e4149497a',
  H: '7f0808087f',
  I: '00417f4100',
  J: '2040413f01',
  K: '7f08142241',
  L: '7f40404040',
  M: '7f020c027f',
  N: '7f0408107f',
  O: '3e4141413e',
  P: '7f09090906',
  Q: '3e4151215e',
  R: '7f09192946',
  S: '4649494931',
  T: '01017f0101',
  U: '3f4040403f',
  V: '1f2040201f',
  W: '3f4038403f',
  X: '6314081463',
  Y: '0708700807',
  Z: '6151494543',
  a: '2054545478',
  b: '7f48444438',
  c: '3844444420',
  d: '384444487f',
  e: '3854545418',
  f: '087e090102',
  g: '0c5252523e',
  h: '7f08040478',
  i: '00447d4000',
  j: '2040443d00',
  k: '7f10284400',
  l: '00417f4000',
  m: '7c04180478',
  n: '7c08040478',
  o: '3844444438',
  p: '7c14141408',
  q: '081414187c',
  r: '7c08040408',
  s: '4854545420',
  t: '043f444020',
  u: '3c4040207c',
  v: '1c2040201c',
  w: '3c4030403c',
  x: '4428102844',
  y: '0c5050503c',
  z: '4464544c44',
}

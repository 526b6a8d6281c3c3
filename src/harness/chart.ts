import { pngOf } from '../lib/png.ts'

/** One bar: what it is, its value in words, and how long it is, from 0 to 1. What is above 1 is drawn full, and red. */
export type Bar = Readonly<{ label: string; value: string; share: number }>

const PALETTE = [
  [255, 255, 255],
  [33, 37, 41],
  [222, 226, 230],
  [51, 88, 212],
  [198, 40, 40],
] as const
const [PAPER, INK, RAIL, FULL, OVER] = [0, 1, 2, 3, 4]

const SCALE = 3
const WIDTH = 720
const MARGIN = 24
const ROW = 76
const LETTER = 6 * SCALE

/** Bars as a PNG in base64, wide enough for a phone. */
export function barChart(bars: readonly Bar[]): string {
  const height = MARGIN + bars.length * ROW
  const points = new Uint8Array(WIDTH * height).fill(PAPER)
  const fill = (x: number, y: number, width: number, tall: number, colour: number) => {
    for (let row = y; row < y + tall; row++) points.fill(colour, row * WIDTH + x, row * WIDTH + x + width)
  }
  const write = (text: string, x: number, y: number) => {
    for (const [i, letter] of Array.from(text.toUpperCase()).entries()) {
      const columns = FONT[letter] ?? FONT['-'] ?? ''
      for (let column = 0; column < 5; column++) {
        const bits = Number.parseInt(columns.slice(column * 2, column * 2 + 2), 16)
        for (let bit = 0; bit < 7; bit++)
          if ((bits >> bit) & 1) fill(x + i * LETTER + column * SCALE, y + bit * SCALE, SCALE, SCALE, INK)
      }
    }
  }
  const room = WIDTH - 2 * MARGIN
  for (const [i, { label, value, share }] of bars.entries()) {
    const y = MARGIN + i * ROW
    const most = Math.floor(room / LETTER) - 1
    const shown = value.slice(0, most)
    write(label.slice(0, Math.max(0, most - shown.length)), MARGIN, y)
    write(shown, WIDTH - MARGIN - shown.length * LETTER, y)
    fill(MARGIN, y + 28, room, 18, RAIL)
    fill(MARGIN, y + 28, Math.round(room * Math.min(1, Math.max(0, share))), 18, share > 1 ? OVER : FULL)
  }
  return pngOf({ width: WIDTH, height, palette: PALETTE, points }).toString('base64')
}

/** Five columns a letter, in hex, the lowest bit on top. */
const FONT: Readonly<Record<string, string>> = {
  ' ': '0000000000',
  $: '242a7f2a12',
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
}

import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { inflateSync } from 'node:zlib'
import { barChart } from '../../src/harness/chart.ts'

/** The colours of a picture of ours, by row and column. */
function read(base64: string) {
  const png = Buffer.from(base64, 'base64')
  assert.equal(png.subarray(1, 4).toString(), 'PNG')
  let palette = Buffer.alloc(0)
  let rows = Buffer.alloc(0)
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const data = png.subarray(at + 8, at + 8 + length)
    const type = png.toString('latin1', at + 4, at + 8)
    if (type === 'PLTE') palette = data
    if (type === 'IDAT') rows = inflateSync(data)
    at += length + 12
  }
  const [width, height] = [png.readUInt32BE(16), png.readUInt32BE(20)]
  const colour = (x: number, y: number) => {
    const index = rows[y * (width + 1) + 1 + x] ?? 0
    return [...palette.subarray(index * 3, index * 3 + 3)].join()
  }
  return { width, height, colour }
}

const [PAPER, RAIL, FULL, OVER] = ['255,255,255', '233,236,239', '51,88,212', '198,40,40']
/** Half the height of the first bar, without a heading. */
const BAR_Y = 28 + 32 + 8

describe('a chart of bars', () => {
  it('is as long as its share, on a rail, and wide enough for a phone', () => {
    const { width, height, colour } = read(barChart([{ label: 'WETH', value: '$1.00', share: 0.5 }]))
    assert.deepEqual([width, height], [720, 28 + 78])
    const row = Array.from({ length: width }, (_, x) => colour(x, BAR_Y))
    assert.deepEqual([row.filter((one) => one === FULL).length, row[5], row[715]], [332, PAPER, PAPER])
    assert.ok(row.includes(RAIL))
  })

  it('is full and red above its limit, and nothing below zero', () => {
    const over = read(barChart([{ label: 'a', value: '', share: 1.5 }]))
    assert.deepEqual([over.colour(100, BAR_Y), over.colour(680, BAR_Y)], [OVER, OVER])
    const none = read(barChart([{ label: 'a', value: '', share: -1 }]))
    assert.equal(none.colour(100, BAR_Y), RAIL)
  })

  it('takes any letters, and as many as there are', () => {
    const value = '日本 $9,999,999,999,999.99'.repeat(4)
    const { height, colour } = read(barChart([{ label: 'ẞß'.repeat(90), value, share: 1 }], 'Ærø'.repeat(99)))
    assert.equal(height, 28 + 56 + 78)
    assert.equal(colour(719, 5), PAPER)
  })
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { crc32, inflateSync } from 'node:zlib'
import { pngOf } from '../../src/lib/png.ts'

test('a picture is a PNG whose rows are its points', () => {
  const points = Uint8Array.from([0, 1, 1, 0, 0, 1])
  const palette = [
    [255, 255, 255],
    [0, 0, 0],
  ] as const
  const png = pngOf({ width: 3, height: 2, palette, points })
  assert.equal(png.subarray(1, 4).toString('latin1'), 'PNG')
  const chunks = new Map<string, Buffer>()
  for (let at = 8; at < png.length; ) {
    const length = png.readUInt32BE(at)
    const data = png.subarray(at + 8, at + 8 + length)
    assert.equal(png.readUInt32BE(at + 8 + length), crc32(png.subarray(at + 4, at + 8 + length)))
    chunks.set(png.subarray(at + 4, at + 8).toString('latin1'), data)
    at += 12 + length
  }
  assert.deepEqual([...chunks.keys()], ['IHDR', 'PLTE', 'IDAT', 'IEND'])
  assert.deepEqual([...inflateSync(chunks.get('IDAT') ?? Buffer.alloc(0))], [0, 0, 1, 1, 0, 0, 0, 1])
  assert.deepEqual([...(chunks.get('PLTE') ?? [])], [255, 255, 255, 0, 0, 0])
})

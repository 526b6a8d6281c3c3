import { crc32, deflateSync } from 'node:zlib'

/** A picture of one byte a point, each naming a colour of its palette; rows from the top. */
export type Picture = Readonly<{
  width: number
  height: number
  palette: readonly Readonly<[red: number, green: number, blue: number]>[]
  points: Uint8Array
}>

const SIGNATURE = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a])

/** The bytes of a picture as PNG (https://www.w3.org/TR/png-3/), colour type 3. */
export function pngOf({ width, height, palette, points }: Picture): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  header.set([8, 3, 0, 0, 0], 8)
  // A byte before each row says that it is not filtered.
  const rows = Buffer.alloc(height * (width + 1))
  for (let y = 0; y < height; y++) rows.set(points.subarray(y * width, (y + 1) * width), y * (width + 1) + 1)
  return Buffer.concat([
    SIGNATURE,
    chunk('IHDR', header),
    chunk('PLTE', Buffer.from(palette.flat())),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}

function chunk(type: string, data: Buffer): Buffer {
  const typed = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const framed = Buffer.alloc(typed.length + 8)
  framed.writeUInt32BE(data.length, 0)
  framed.set(typed, 4)
  framed.writeUInt32BE(crc32(typed), typed.length + 4)
  return framed
}

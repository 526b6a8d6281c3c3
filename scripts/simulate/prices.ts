import { CountersignError } from '../../src/lib/errors.ts'
import { parseDecimal } from '../../src/lib/usd.ts'

/** Recorded prices: at a time (ms), US dollars with eight decimals by symbol. */
export type Recorded = Readonly<{
  symbols: readonly string[]
  from: number
  /** The time of the last row. */
  to: number
  rows: number
  /** The price that holds at a time: that of the last row before it. Nothing where that is too long ago. */
  at(symbol: string, time: number): bigint | undefined
}>

type Row = Readonly<{ time: number; prices: readonly bigint[] }>

/** A price that is older than this says nothing any more. */
const LONGEST_GAP_MS = 2 * 86_400_000
const TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2})?Z)?$/
const PRICE = /^\d{1,12}(\.\d{1,8})?$/
const SYMBOL = /^[A-Za-z0-9.$_-]{1,16}$/

/**
 * Reads prices from CSV: a head `time,<symbol>,…`, then one row a moment, oldest first. A time is a date (its midnight) or
 * `2025-08-01T09:00Z`, in UTC. Lines that begin with # are remarks.
 *
 * @throws CountersignError invalid_request that names the line and what would be right
 */
export function readPrices(text: string): Recorded {
  const lines = text
    .replace(/^\uFEFF/, '')
    .split(/\r?\n/)
    .map((line, i) => ({ line: line.trim(), number: i + 1 }))
    .filter(({ line }) => line !== '' && !line.startsWith('#'))
  const [head, ...body] = lines
  if (head === undefined) throw wrong(1, 'expected a head, like "time,ETH"')
  const [first, ...symbols] = cellsOf(head.line)
  if (first?.toLowerCase() !== 'time' || symbols.length === 0)
    throw wrong(head.number, 'expected a head of "time" and one symbol or more, like "time,ETH"')
  for (const symbol of symbols)
    if (!SYMBOL.test(symbol)) throw wrong(head.number, `"${symbol.slice(0, 32)}" is no symbol of a token`)
  if (new Set(symbols).size < symbols.length) throw wrong(head.number, 'a symbol stands twice')
  const rows: Row[] = []
  for (const { line, number } of body) rows.push(rowOf(cellsOf(line), number, symbols, rows.at(-1)))
  const [oldest, newest] = [rows[0], rows.at(-1)]
  if (!oldest || !newest) throw wrong(head.number + 1, 'expected a row, like "2025-08-01,3696.14"')
  return {
    symbols,
    from: oldest.time,
    to: newest.time,
    rows: rows.length,
    at(symbol, time) {
      const row = rows[lastUpTo(rows, time)]
      const column = symbols.indexOf(symbol)
      return row === undefined || column < 0 || time - row.time > LONGEST_GAP_MS ? undefined : row.prices[column]
    },
  }
}

function rowOf(cells: readonly string[], number: number, symbols: readonly string[], before: Row | undefined): Row {
  if (cells.length !== symbols.length + 1)
    throw wrong(number, `expected ${symbols.length + 1} values, and there are ${cells.length}`)
  const [moment = '', ...prices] = cells
  const time = TIME.test(moment) ? Date.parse(moment) : Number.NaN
  if (Number.isNaN(time) || !new Date(time).toISOString().startsWith(moment.slice(0, 10)))
    throw wrong(number, `"${moment.slice(0, 32)}" is no time; expected "2025-08-01" or "2025-08-01T09:00Z"`)
  if (before && time <= before.time) throw wrong(number, 'its time is not after that of the row before')
  return {
    time,
    prices: prices.map((price, i) => {
      if (!PRICE.test(price) || !/[1-9]/.test(price))
        throw wrong(
          number,
          `"${price.slice(0, 32)}" is no price of ${symbols[i] ?? ''}; expected US dollars above 0, like "3696.14"`,
        )
      return parseDecimal(price, 8)
    }),
  }
}

/** Index of the last row that is not after a time; -1 where there is none. */
function lastUpTo(rows: readonly Row[], time: number): number {
  let [low, high] = [0, rows.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((rows[middle]?.time ?? 0) <= time) low = middle + 1
    else high = middle
  }
  return low - 1
}

function cellsOf(line: string): readonly string[] {
  return line.split(',').map((cell) => cell.trim())
}

function wrong(line: number, what: string): CountersignError {
  return new CountersignError('invalid_request', `--prices, line ${line}: ${what}.`)
}

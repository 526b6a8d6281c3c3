/** US dollars as an integer of millionths. Every amount that is compared or added is one of these. */
export type MicroUsd = bigint

const MICRO = 6
const DOLLAR = 1_000_000n
const CENT = 10_000n
/** Powers of ten by their exponent: raising one costs more than all else in a valuation. */
const POWERS = Array.from({ length: 40 }, (_, exponent) => 10n ** BigInt(exponent))

/** Exact micro-USD of a decimal number of dollars; what lies below a millionth is cut off. */
export function toMicroUsd(dollars: number): MicroUsd {
  return Number.isSafeInteger(dollars) ? BigInt(dollars) * DOLLAR : parseDecimal(decimalText(dollars), MICRO)
}

/** Dollars as a JSON number, for display and the wire. Never computed with. */
export function toDollars(micro: MicroUsd): number {
  return Number(formatDecimal(micro, MICRO))
}

/** Dollars for people: `$1,240.00`, and up to six decimals where cents would hide the amount. */
export function formatUsd(micro: MicroUsd): string {
  return micro >= DOLLAR ? formatUsdExactly(((micro + CENT / 2n) / CENT) * CENT) : formatUsdExactly(micro)
}

/** Dollars for people, to the last millionth: for amounts that differ by less than a cent. */
export function formatUsdExactly(micro: MicroUsd): string {
  return `$${groupThousands(formatDecimal(micro, MICRO, 2))}`
}

/** A decimal text with its thousands set apart: `1,240.5`. */
export function groupThousands(decimal: string): string {
  const point = decimal.indexOf('.')
  const first = decimal.startsWith('-') ? 1 : 0
  let text = decimal
  for (let at = (point === -1 ? decimal.length : point) - 3; at > first; at -= 3)
    text = `${text.slice(0, at)},${text.slice(at)}`
  return text
}

/**
 * What an amount of a token is worth, from an integer price with eight decimals.
 *
 * @param rounding `up` for what leaves a wallet, `down` for what arrives: always against the caller
 */
export function valueOf(amount: bigint, decimals: number, priceE8: bigint, rounding: 'up' | 'down'): MicroUsd {
  const scale = POWERS[decimals + 2] ?? 10n ** BigInt(decimals + 2)
  const product = amount * priceE8
  return rounding === 'up' ? (product + scale - 1n) / scale : product / scale
}

/** The integer of a decimal text scaled by `decimals` digits; digits beyond them are cut off. */
export function parseDecimal(text: string, decimals: number): bigint {
  const [whole = '', fraction = ''] = text.split('.')
  return BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0'))
}

/** The decimal text of a scaled integer, without trailing zeros beyond `minimum` of them. */
export function formatDecimal(value: bigint, decimals: number, minimum = 0): string {
  const digits = (value < 0n ? -value : value).toString().padStart(decimals + 1, '0')
  const cut = digits.length - decimals
  const fraction = digits.slice(cut).replace(/0+$/, '').padEnd(minimum, '0')
  return `${value < 0n ? '-' : ''}${digits.slice(0, cut)}${fraction ? `.${fraction}` : ''}`
}

/** Beyond 21 digits, and below a millionth, numbers are written with an exponent. */
function decimalText(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  return Math.abs(value) < 1 ? '0' : BigInt(value).toString()
}

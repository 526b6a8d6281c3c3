import { type Address, ZERO_ADDRESS } from '../lib/address.ts'
import type { Hex } from '../lib/hash.ts'
import { ok, type Result, refuse } from '../lib/result.ts'

/** The tokens that a swap goes through: at least what is sold and what is bought. */
export type Route = Readonly<{ sells: Address; middle: readonly Address[]; buys: Address }>

/** More than any route that pays: each token is screened. */
const MAX_TOKENS = 16

const ADDRESS_DIGITS = 40
/** A hop of a v3 path: the fee of its pool in three bytes, and the token behind it. */
const HOP_DIGITS = 46

/** The route of a v3 path: token, then a fee and a token for each pool. A path of an exact output is written backwards. */
export function v3Route(path: Hex, written: 'forwards' | 'backwards'): Result<Route> {
  const length = path.length - 2
  if (length < ADDRESS_DIGITS + HOP_DIGITS || (length - ADDRESS_DIGITS) % HOP_DIGITS !== 0)
    return refuse(`a path of ${length / 2} bytes is not made of tokens and pool fees`)
  const tokens: Address[] = []
  for (let at = 2; at < path.length; at += HOP_DIGITS)
    tokens.push(`0x${path.slice(at, at + ADDRESS_DIGITS)}` as Address)
  return tokenRoute(written === 'forwards' ? tokens : tokens.reverse())
}

/** The route of a v2 path: a list of tokens, each two of which have a pair. */
export function tokenRoute(tokens: readonly Address[]): Result<Route> {
  const [sells, ...rest] = tokens
  const buys = rest.at(-1)
  if (sells === undefined || buys === undefined) return refuse('a path needs at least two tokens')
  if (tokens.length > MAX_TOKENS) return refuse(`a path of more than ${MAX_TOKENS} tokens is not decoded`)
  if (sells === buys) return refuse('the path sells what it buys')
  if (tokens.some((token, i) => token === tokens[i + 1])) return refuse('the path has a hop from a token to itself')
  if (tokens.includes(ZERO_ADDRESS)) return refuse('the path goes through the zero address')
  return ok({ sells, middle: rest.slice(0, -1), buys })
}

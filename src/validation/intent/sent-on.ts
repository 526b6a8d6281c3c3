import type { Intent } from '../intent.ts'
import type { Lexeme } from './lex.ts'
import { VERBS } from './lexicon.ts'

/** What brings something that can be sent on. */
const BRINGING: readonly Intent['operation'][] = ['swap', 'withdraw', 'borrow']
const SKIPPED = new Set('all my of received resulting some the'.split(' '))
const WHAT_CAME = new Set('everything it output outcome proceeds result results that them this to'.split(' '))

/**
 * What a request does beside its one thing. "Swap … and send it to 0x…" says where what comes goes; a right for somebody to
 * spend, or a payment of something else, is a second thing.
 */
export function secondThingOf(
  lexemes: readonly Lexeme[],
  { operation, tokenIn, tokenOut }: Pick<Intent, 'operation' | 'tokenIn' | 'tokenOut'>,
): readonly string[] {
  const isOwn = operation === null || operation === 'transfer' || operation === 'approve' || operation === 'revoke'
  if (isOwn) return []
  const isNamed = lexemes.some(({ t }) => t === 'address')
  const coming = operation === 'swap' ? tokenOut : tokenIn
  return lexemes.flatMap((one, i) => {
    const kind = one.t === 'word' ? kindOf(lexemes, i, one.word, isNamed) : undefined
    if (kind === 'approve' && isNamed) return ['it gives a right to spend beside']
    if (kind !== 'transfer' || (!isNamed && isForMe(lexemes.slice(i)))) return []
    const sent = lexemes.slice(i + 1).find((other) => other.t !== 'word' || !SKIPPED.has(other.word))
    const isComing = sent?.t === 'word' ? WHAT_CAME.has(sent.word) : sent?.t === 'token' && sent.symbol === coming
    return isComing && isNamed && BRINGING.includes(operation) ? [] : ['it pays somebody beside']
  })
}

/** "Give me no less than …", "send it to my wallet". */
function isForMe(lexemes: readonly Lexeme[]): boolean {
  return lexemes.some((one) => one.t === 'word' && (one.word === 'me' || one.word === 'my'))
}

/** "Pay back" is a repayment, and "buy 1 WETH, pay 3000 USDC at most" says what for. */
function kindOf(
  lexemes: readonly Lexeme[],
  i: number,
  word: string,
  isNamed: boolean,
): Intent['operation'] | undefined {
  const next = lexemes[i + 1]
  const isRepaid = next?.t === 'word' && ['back', 'down', 'off'].includes(next.word)
  return word === 'pay' && (isRepaid || !isNamed) ? undefined : VERBS.get(word)
}

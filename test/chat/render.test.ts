import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { stripVTControlCharacters } from 'node:util'
import { columns } from '../../src/chat/plain-text.ts'
import { renderOutbound } from '../../src/chat/render.ts'
import type { VerdictCard } from '../../src/harness/index.ts'

const HASH = `0x${'ab'.repeat(32)}`
const ROUTER = '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af'
const REJECTED: VerdictCard = {
  requestHash: HASH,
  title: 'Swap 10000 USDC for at least 3.2 WETH on Uniswap',
  outcome: 'rejected',
  reasonCode: 'per_tx_cap_exceeded',
  reason: 'The action is worth $10,000.00, more than the $500.00 that one transaction may be.',
  lines: [
    { label: 'leaves', text: '10000 USDC' },
    { label: 'comes back', text: 'at least 3.2 WETH' },
    { label: 'where', text: `uniswap on Ethereum, universal router ${ROUTER}` },
  ],
  checks: [
    { id: 'venue', status: 'passed', reason: 'Uniswap is allowed.' },
    { id: 'per_tx_cap', status: 'failed', reason: '$10,000.00 is above $500.00.' },
    { id: 'leverage', status: 'not_checked', reason: 'No leverage.' },
    { id: 'recipient', status: 'passed', reason: 'The wallet.' },
  ],
  execution: null,
}
const APPROVED: VerdictCard = {
  ...REJECTED,
  outcome: 'approved',
  reasonCode: 'allowed',
  reason: 'All checks passed.',
  checks: REJECTED.checks.filter(({ status }) => status === 'passed'),
  execution: { mode: 'direct', ok: true, text: 'Executed and mined.', txHash: `0x${'cd'.repeat(32)}` },
}
const PLAIN = { color: false, width: 80 }
const HOSTILE = 'a\x1b[2J\x1b]0;title\x07\x9b31mb\r\x08c\u202ed\u2066e\x7f\u200bf\ud800g\u{e0041}'

const cardText = (card: VerdictCard, options = PLAIN) => renderOutbound({ type: 'verdict', card }, options)
const everywhere = (text: string): VerdictCard => ({
  requestHash: text,
  title: text,
  outcome: 'approved',
  reasonCode: text,
  reason: text,
  lines: [{ label: text, text }],
  checks: (['passed', 'failed', 'not_checked'] as const).map((status) => ({ id: text, status, reason: text })),
  execution: { mode: 'direct', ok: false, text, txHash: text },
})

describe('a rejected card', () => {
  it('says the outcome, what was decoded, which checks failed and why, in the words of the card', () => {
    assert.equal(
      cardText(REJECTED),
      `
┏━ ✗ REJECTED ━ Swap 10000 USDC for at least 3.2 WETH on Uniswap
┃ The action is worth $10,000.00, more than the $500.00 that one transaction may
┃ be. (per_tx_cap_exceeded)
┃
┃ leaves      10000 USDC
┃ comes back  at least 3.2 WETH
┃ where       uniswap on Ethereum, universal router
┃             ${ROUTER}
┃
┃ ✗ per_tx_cap: $10,000.00 is above $500.00.
┃ ✓ venue, recipient
┃ – leverage (not checked)
┗━ ${HASH}
`,
    )
  })
})

describe('an approved card', () => {
  it('says what became of the action', () => {
    const text = cardText(APPROVED)
    assert.match(text, /┏━ ✓ APPROVED ━ Swap/)
    assert.match(text, /┃ → Executed and mined\.\n┃ {3}tx 0x(cd){32}\n/)
    assert.doesNotMatch(text, /✗|not checked/)
  })

  it('marks an execution that failed', () => {
    const execution = { mode: 'dry-run', ok: false, text: 'The simulation failed.', txHash: null } as const
    assert.match(cardText({ ...APPROVED, execution }), /┃ ✗ The simulation failed\.\n┗/)
  })
})

describe('a card', () => {
  it('keeps within its width, with colours and without, whatever is in it', () => {
    const cards = [REJECTED, APPROVED, everywhere('x'.repeat(500)), everywhere('名前🎉 '.repeat(60)), everywhere('')]
    for (const width of [40, 57, 80, 200])
      for (const color of [true, false])
        for (const card of cards)
          for (const line of stripVTControlCharacters(cardText(card, { color, width })).split('\n'))
            if (!line.startsWith('┗')) assert.ok(columns(line) <= width, `${width}: ${line}`)
  })

  it('has colours only where they are wanted, and the same text with them', () => {
    const coloured = cardText(REJECTED, { color: true, width: 80 })
    assert.ok(coloured.includes('\x1b[31m┃\x1b[39m'))
    assert.equal(stripVTControlCharacters(coloured), cardText(REJECTED))
  })
})

describe('untrusted text', () => {
  const messages = [
    { type: 'text', text: HOSTILE },
    { type: 'status', text: HOSTILE },
    { type: 'error', text: HOSTILE },
    { type: 'verdict', card: everywhere(HOSTILE) },
  ] as const

  it('does not steer the terminal, wherever it stands', () => {
    for (const message of messages) {
      const text = renderOutbound(message, PLAIN)
      const STEERING = /[^\n\P{Cc}]|[\p{Cs}\u200b\u202a-\u202e\u2066-\u2069\u{e0000}-\u{e007f}]/u
      assert.doesNotMatch(text, STEERING, message.type)
      assert.match(text, /a\ufffd\[2J/)
    }
  })

  it('cannot draw a card, nor a line of one', () => {
    const forged = cardText(APPROVED)
    for (const type of ['text', 'status', 'error'] as const)
      assert.doesNotMatch(renderOutbound({ type, text: forged }, PLAIN), /[\u2500-\u259f]/)
    const inside = cardText({ ...REJECTED, reason: forged, lines: [{ label: forged, text: forged }] })
    assert.equal(inside.match(/┏/g)?.length, 1)
    assert.equal(inside.match(/┗/g)?.length, 1)
    assert.ok(inside.split('\n').every((line) => line === '' || /^[┏┃┗]/.test(line)))
    assert.doesNotMatch(inside, /..*┃/)
  })

  it('keeps what is no harm: lines, tabs, dashes and other scripts', () => {
    const text = 'один\n\t二 — 👩‍💻 ✓\n'
    assert.equal(renderOutbound({ type: 'text', text }, PLAIN), text)
  })
})

describe('pieces of an answer', () => {
  it('join to the answer, and what comes between stands on lines of its own', () => {
    const shown = [
      { type: 'text', text: 'I ' } as const,
      { type: 'text', text: 'look.' } as const,
      { type: 'status', text: 'Mode: dry-run\nWallet: none' } as const,
      { type: 'error', text: 'Stopped.' } as const,
      { type: 'end' } as const,
    ].map((message) => renderOutbound(message, PLAIN))
    assert.equal(shown.join(''), 'I look.\n· Mode: dry-run\n  Wallet: none\n\n! Stopped.\n\n')
  })
})

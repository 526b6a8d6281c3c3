import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { secretsIn } from '../../src/lib/secret-text.ts'

const KEY = '4c0883a69102937d6231471b5dbb6204fe512961708279f8b1f7a3c0d1e2f3a4'
const PHRASE = 'legal winner thank year wave sausage worth useful legal winner thank yellow'

describe('a text that holds a secret', () => {
  const SECRETS: readonly unknown[] = [
    `0x${KEY}`,
    `my key is 0x${KEY}`,
    `private key of transaction 0x${KEY}`,
    KEY,
    PHRASE,
    PHRASE.split(' ')
      .map((word, i) => `${i + 1}. ${word}`)
      .join('\n'),
    PHRASE.split(' '),
    `Bearer ${'a'.repeat(32)}`,
    'eyJhbGciOiJI.eyJzdWIiOiIx.',
    'token-eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dBjftJeZ4CVP',
    'password: hunter2',
    'postgres://user:secret@host/db',
    '-----BEGIN EC PRIVATE KEY-----',
    { private_key: 'x' },
    { nested: [{ 'X-API-Key': 'abc' }] },
    { [`0x${KEY}`]: 1 },
  ]
  for (const [i, secret] of SECRETS.entries())
    it(`is named and not repeated (${i})`, async () => {
      const found = await secretsIn(secret, 'field')
      assert.equal(found.length, 1)
      assert.match(found[0]?.path ?? '', /^field/)
      assert.ok(!JSON.stringify(found).includes(KEY))
    })

  const HARMLESS: readonly unknown[] = [
    'Swap 100 USDC for WETH on Uniswap with at most one percent of slippage, and send it back to my own wallet please.',
    `as in transaction 0x${KEY}`,
    { txHash: `0x${KEY}`, requestHash: KEY, traceId: KEY.slice(0, 32) },
    { apiKey: '' },
    { apiKey: '[redacted]' },
    { tokenIn: 'USDC', password: null, count: 3 },
    `0x${'00'.repeat(32)}`,
    'eyJhbGciOiJI.eyJ.',
    'see https://docs.example/a:b@c',
    // Where each character begins another search, these take hours.
    ...['eyJ-', 'a-', 'a.', 'M-'].map((part) => part.repeat(500_000)),
  ]
  for (const [i, text] of HARMLESS.entries())
    it(`is told from one that does not (${i})`, async () => assert.deepEqual(await secretsIn(text, 'field'), []))
})

import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { describe, it } from 'node:test'
import { CountersignError } from '../src/lib/errors.ts'
import { checkSecrets } from '../src/secrets.ts'

const OWN = ['PRIVATE_KEY', 'SERVICE_API_KEY', 'SERVICE_ADMIN_KEY', 'CONSOLE_TOKEN'] as const
const strong = () => randomBytes(32).toString('hex')

function refusal(values: Readonly<Record<string, string>>, others: readonly string[] = []): string | undefined {
  try {
    checkSecrets((name) => values[name], others)
    return undefined
  } catch (thrown) {
    assert.ok(thrown instanceof CountersignError)
    for (const value of Object.values(values)) assert.ok(!thrown.message.includes(value), thrown.message)
    return thrown.message
  }
}

describe('secrets', () => {
  it('are none of them needed, and strong ones of their own are taken', () => {
    assert.equal(refusal({}), undefined)
    assert.equal(refusal(Object.fromEntries(OWN.map((name) => [name, strong()]))), undefined)
  })

  for (const name of OWN) {
    it(`stop the start-up when ${name} is too short, and name it`, () => {
      const short = strong().slice(0, 31)
      assert.match(refusal({ [name]: short }) ?? '', new RegExp(`^${name} must have at least (32|64) characters\\.$`))
    })

    it(`stop the start-up when ${name} is a placeholder, and name it`, () => {
      const placeholders = [
        'undefined',
        'NULL',
        '[object Object]',
        'changeme',
        'change-me',
        '<your key here, at least 32 characters>',
        'your-own-key-goes-here-and-is-long-enough',
        'x'.repeat(40),
        '0'.repeat(64),
        `0x${'0'.repeat(64)}`,
        `0x${'1'.repeat(64)}`,
        'a'.repeat(64),
      ]
      for (const placeholder of placeholders)
        assert.equal(refusal({ [name]: placeholder }), `${name} holds a placeholder, not a secret.`)
    })
  }

  it('stop the start-up when one is used twice, and name both', () => {
    const same = strong()
    for (const [i, first] of OWN.entries())
      for (const second of OWN.slice(i + 1))
        assert.equal(
          refusal({ [first]: same, [second]: same }),
          `${second} and ${first} hold the same value; each secret needs its own.`,
        )
  })

  it('of others may be any word, but none of ours and no value that is none', () => {
    assert.equal(refusal({ LOCAL_KEY: 'x', OTHER_KEY: 'x' }, ['LOCAL_KEY', 'OTHER_KEY']), undefined)
    for (const nothing of ['undefined', 'null', '[object Object]'])
      assert.equal(
        refusal({ OPENAI_API_KEY: nothing }, ['OPENAI_API_KEY']),
        'OPENAI_API_KEY holds a placeholder, not a secret.',
      )
    const same = strong()
    assert.match(
      refusal({ SERVICE_ADMIN_KEY: same, OPENAI_API_KEY: same }, ['OPENAI_API_KEY']) ?? '',
      /^OPENAI_API_KEY and SERVICE_ADMIN_KEY hold the same/,
    )
    assert.equal(refusal({ SERVICE_API_KEY: same }, ['SERVICE_API_KEY']), undefined)
  })
})

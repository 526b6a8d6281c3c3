import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { chunks } from '../../src/harness/chunks.ts'

const words = (text: string) => text.replace(/\s+/g, '')

describe('chunks', () => {
  it('leave a text alone that fits', () => {
    assert.deepEqual(chunks('short', 10), ['short'])
  })

  it('end where most ends: paragraphs before lines, lines before sentences, sentences before words', () => {
    assert.deepEqual(chunks(`${'a '.repeat(12)}a\n\n${'b '.repeat(12)}b`, 40), [
      `${'a '.repeat(12)}a`,
      `${'b '.repeat(12)}b`,
    ])
    assert.deepEqual(chunks('one two three four five six seven', 20), ['one two three', 'four five six seven'])
  })

  it('close a code block that they cut, and open it again', () => {
    const code = Array.from({ length: 12 }, (_, n) => `line ${n}`).join('\n')
    const made = chunks(`before\n\`\`\`ts\n${code}\n\`\`\`\nafter`, 60)
    assert.ok(made.length > 1)
    for (const chunk of made) {
      assert.ok(chunk.length <= 60, chunk)
      assert.equal((chunk.match(/^```/gm)?.length ?? 0) % 2, 0, chunk)
    }
    assert.ok(made.slice(1, -1).every((chunk) => chunk.startsWith('```ts\n')))
  })

  it('cut no bold, code or link that fits, and no character in two', () => {
    for (const entity of [
      '**bold words here**',
      '`code words here`',
      '[a link here](https://x.example/a)',
      '😀😀😀😀😀😀',
    ])
      for (let before = 0; before < 40; before++) {
        const made = chunks(`${'x'.repeat(before)} ${entity} ${'y '.repeat(40)}`, 64)
        if (entity !== '😀😀😀😀😀😀')
          assert.ok(
            made.some((chunk) => chunk.includes(entity)),
            JSON.stringify(made),
          )
        for (const chunk of made) assert.doesNotMatch(chunk, /[\ud800-\udbff]$|^[\udc00-\udfff]/)
      }
  })

  it('of any text fit, have all of its words, and stay as they are when it grows', () => {
    const text = fc.array(
      fc.oneof(fc.lorem({ maxCount: 6 }), fc.constant('\n'), fc.constant('😀'), fc.string({ maxLength: 30 })),
      { maxLength: 60 },
    )
    fc.assert(
      fc.property(text, fc.integer({ min: 60, max: 200 }), (pieces, longest) => {
        const whole = pieces.join(' ').replaceAll('`', '').replaceAll('~', '')
        const made = chunks(whole, longest)
        assert.ok(made.every((chunk) => chunk.length <= longest))
        assert.equal(words(made.join(' ')), words(whole))
        const longer = chunks(`${whole} and more words than before`, longest)
        assert.deepEqual(longer.slice(0, Math.max(0, made.length - 1)), made.slice(0, -1))
      }),
      { seed: 1, numRuns: 300 },
    )
  })
})

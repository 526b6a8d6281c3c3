// Texts are a model's: whatever it writes, no reading of it stops the process.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { chunks } from '../../src/harness/chunks.ts'
import { blocksOf } from '../../src/harness/markdown.ts'

const SPACES = ' '.repeat(4_000)

describe('light Markdown', () => {
  it('has headings, items, tables and code', () => {
    const text = '# One #\n## #\n- two\n| a | b |\n|---|:--:|\n| 1 | 2 |\n```ts\nx\n```\nplain|text\n--x'
    assert.deepEqual(blocksOf(text), [
      { type: 'heading', text: 'One' },
      { type: 'heading', text: '#' },
      { type: 'item', text: 'two' },
      {
        type: 'record',
        cells: [
          { heading: 'a', text: '1' },
          { heading: 'b', text: '2' },
        ],
      },
      { type: 'code', language: 'ts', text: 'x' },
      { type: 'line', text: 'plain|text' },
      { type: 'line', text: '--x' },
    ])
  })

  it('is read at once, however its marks are piled up', () => {
    for (const text of [`a|b\n${SPACES}--${SPACES}x`, `#${SPACES}y\u2028z`, `# a${SPACES}${'b#'.repeat(1_000)}`])
      assert.ok(blocksOf(text).every(({ type }) => type === 'line' || type === 'heading'))
    const brackets = `${'['.repeat(2_000)}]`.repeat(3)
    assert.equal(chunks(brackets, 4_000).join(''), brackets)
    const links = `${']('.repeat(1_000)})`.repeat(3)
    assert.equal(chunks(links, 4_000).join(''), links)
  })
})

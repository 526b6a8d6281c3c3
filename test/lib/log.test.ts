// What a log shows of what it is told: fields that are allowed, and the request that it was about.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, it } from 'node:test'

const LOG = join(import.meta.dirname, '../../src/lib/log.ts')

/** The lines that a program writes which has a log, and `inRequest`. */
function linesOf(program: string): readonly Record<string, unknown>[] {
  const code = `import { createLog, inRequest } from ${JSON.stringify(LOG)}\nconst log = createLog('info', false)\n${program}`
  const { stderr, status } = spawnSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' })
  assert.equal(status, 0, stderr)
  const lines = stderr.split('\n').filter((line) => line !== '')
  return lines.map((line) => JSON.parse(line) as Record<string, unknown>)
}

describe('the log', () => {
  it('shows the fields that are allowed, and of any other its name alone', () => {
    const [line] = linesOf(
      "log.warn({ requestHash: '0xab', apiKey: 'canary-1', prompt: { text: 'canary-2' } }, 'Said.')",
    )
    const { requestHash, apiKey, prompt, msg } = line ?? {}
    assert.deepEqual(
      { requestHash, apiKey, prompt, msg },
      {
        requestHash: '0xab',
        apiKey: '[redacted]',
        prompt: '[redacted]',
        msg: 'Said.',
      },
    )
    assert.ok(!JSON.stringify(line).includes('canary'))
  })

  it('carries the id of the request through everything that comes of it, and of no other', () => {
    const lines = linesOf(`
      const later = inRequest('one', async () => {
        await new Promise((resolve) => setTimeout(resolve, 5))
        log.info({ error: 'late' }, 'After the answer.')
      })
      inRequest('two', () => log.info({}, 'Within.'))
      log.info({}, 'Without.')
      await later`)
    assert.deepEqual(
      lines.map(({ msg, requestId }) => [msg, requestId]),
      [
        ['Within.', 'two'],
        ['Without.', undefined],
        ['After the answer.', 'one'],
      ],
    )
  })
})

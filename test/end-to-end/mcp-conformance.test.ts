// The published conformance suite of MCP, with its fixtures and against the endpoint as it is. It cannot send a key, so
// one is added on the way. A scenario counts when nothing failed in it and the server was asked.
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, it } from 'node:test'
import { openKeyBearer } from '../support/key-bearer.ts'
import { fixtureHandlerOf } from '../support/mcp-fixtures.ts'
import { startPublicServer } from '../support/person.ts'

const SUITE = join(
  dirname(createRequire(import.meta.url).resolve('@modelcontextprotocol/conformance/package.json')),
  'dist',
  'index.js',
)

/** Runs the suite against an address, and gives what it printed. */
async function conform(url: string, args: readonly string[] = []): Promise<string> {
  const cwd = await mkdtemp(join(tmpdir(), 'countersign-conformance-'))
  try {
    const child = spawn(process.execPath, [SUITE, 'server', '--url', url, ...args], { cwd })
    let printed = ''
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (text: string) => {
        printed += text
      })
    const [code] = (await once(child, 'close')) as [number]
    assert.equal(code, 0, printed)
    return printed
  } finally {
    await rm(cwd, { recursive: true })
  }
}

describe('the conformance suite of MCP', () => {
  it('finds nothing wrong in any of its server scenarios', async () => {
    const running = await startPublicServer({ programs: { mcpHandlerOf: fixtureHandlerOf } })
    const bearer = await openKeyBearer(running.port, running.agentKey)
    try {
      const printed = await conform(`http://localhost:${bearer.port}/api/mcp`)
      const outcomes = [...printed.matchAll(/^([✓✗]) ([\w-]+): (\d+) passed, (\d+) failed/gm)]
      assert.ok(outcomes.length >= 30, printed)
      for (const [line, mark, , passed, failed] of outcomes) {
        assert.equal(`${mark} ${failed}`, '✓ 0', line)
        assert.ok(Number(passed) > 0, line)
      }
      assert.match(printed, /Total: \d+ passed, 0 failed/)
      assert.ok(bearer.passed() >= outcomes.length)
    } finally {
      bearer.close()
      await running.close()
    }
  })

  it('finds nothing wrong in the endpoint as it is, without sessions', async () => {
    const running = await startPublicServer()
    const bearer = await openKeyBearer(running.port, running.agentKey)
    try {
      for (const scenario of ['server-initialize', 'ping', 'tools-list', 'prompts-list', 'dns-rebinding-protection'])
        await conform(`http://localhost:${bearer.port}/api/mcp`, ['--scenario', scenario])
      assert.ok(bearer.passed() >= 5)
    } finally {
      bearer.close()
      await running.close()
    }
  })
})

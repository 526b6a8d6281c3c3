import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { problemIn, startServer } from '../running-server.ts'

const LIMITS = { agent: 5, partner: 0, partnerPolicy: 0, public: 0, auth: 0, admin: 0 }

describe('the limit of the agent interface', () => {
  it('counts every call of a batch', async (t) => {
    const running = await startServer({ publicUrl: 'http://localhost/api', limits: LIMITS })
    t.after(() => running.close())
    const send = (calls: number) => {
      const one = { jsonrpc: '2.0', method: 'tools/call', params: { name: 'list_transactions', arguments: {} } }
      const batch = Array.from({ length: calls }, (_, id) => ({ ...one, id }))
      const headers = { accept: 'application/json, text/event-stream' }
      return running.request('POST', '/api/mcp', { key: running.agentKey, headers, body: JSON.stringify(batch) })
    }
    const admitted = await send(4)
    assert.equal(admitted.status, 200)
    assert.equal(admitted.text.match(/"structuredContent"/g)?.length, 4)
    assert.match(admitted.headers.get('ratelimit') ?? '', /r=1/)
    assert.equal(problemIn(await send(2)).error, 'rate_limited')
    assert.equal(problemIn(await send(500)).error, 'rate_limited')
  })
})

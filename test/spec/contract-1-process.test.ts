// What keeps the service up, and lets it go: slow clients, an orderly end, a database that is away.
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertProblem, payment, SPEC_SERVICES, type SpecService, startSpecService } from '../support/spec-service.ts'

const LONGEST_END_MS = 15_000
const LONGEST_HEADER_MS = 13_000

for (const name of SPEC_SERVICES.filter((service) => service !== 'TEST_BASE_URL'))
  describe(`the process on ${name}`, () => {
    let service: SpecService
    before(async () => {
      service = await startSpecService(name)
    })
    after(() => service?.stop())
    const origin = () => new URL(service.urls[0] ?? assert.fail())

    it('4.6: says that it lives and that it is ready, and counts what it does', async () => {
      const get = async (path: string) => {
        const response = await fetch(new URL(path, origin()))
        return { status: response.status, text: await response.text() }
      }
      const health = await get('/health')
      assert.deepEqual([health.status, (JSON.parse(health.text) as { status: string }).status], [200, 'ok'])
      const ready = await get('/ready')
      assert.deepEqual([ready.status, (JSON.parse(ready.text) as { status: string }).status], [200, 'ready'])
      const agent = await service.newAgent()
      const body = { escrowAddress: agent.wallet, prompt: 'p', proposedTx: payment(agent.wallet) }
      const { body: record } = await service.send('POST', '/transactions', { key: agent.key, body })
      await service.verdictOn(String(record['requestHash']), agent.key)
      const { text } = await get('/metrics')
      assert.match(text, /^countersign_verdicts_total\{outcome="approved",reason="allowed"\} 1$/m)
      assert.match(text, /^countersign_holds 1$/m)
      assert.match(text, /operation="submitTransaction",method="POST",status="201"/)
      assert.ok(!text.includes(agent.wallet) && !text.includes(agent.agentId))
    })

    it('closes clients that send their header too slowly', async () => {
      const { hostname, port } = origin()
      const sockets = Array.from({ length: 20 }, () => connect(Number(port), hostname))
      const closed = sockets.map(
        (socket) => new Promise<void>((resolve) => socket.on('error', () => {}).on('close', () => resolve())),
      )
      for (const socket of sockets) {
        socket.resume()
        socket.write('GET /health HTTP/1.1\r\nX-Slow: ')
      }
      const all = await Promise.race([Promise.all(closed).then(() => true), sleep(LONGEST_HEADER_MS, false)])
      for (const socket of sockets) socket.destroy()
      assert.ok(all, 'all are closed')
    })

    it('ends in order: not ready at once, accepted requests answered, exit 0', async () => {
      const [product] = service.processes
      assert.ok(product)
      const agent = await service.newAgent()
      const body = () => ({ escrowAddress: agent.wallet, prompt: 'p', proposedTx: payment(agent.wallet) })
      const accepted = Array.from({ length: 20 }, () =>
        service.send('POST', '/transactions', { key: agent.key, body: body() }),
      )
      await sleep(30)
      product.child.kill('SIGTERM')
      await product.logged(/"msg":"Stopping\."/)
      const probe = () => fetch(new URL('/ready', origin()), { headers: { connection: 'close' } })
      // A connection that was idle may be closed while the probe is on its way: a new one is answered.
      const ready = await probe().catch(probe)
      assert.equal(ready.status, 503)
      assert.equal(((await ready.json()) as { checks: { process: { ok: boolean } } }).checks.process.ok, false)
      // One that had not reached the process yet finds its connection closed; whatever was taken is answered.
      const answers = await Promise.allSettled(accepted)
      const statuses = answers.flatMap((one) => (one.status === 'fulfilled' ? [one.value.status] : []))
      assert.ok(statuses.length > 0, 'none was answered')
      for (const status of statuses) assert.equal(status, 201)
      const ended = await Promise.race([product.exited, sleep(LONGEST_END_MS, undefined, { ref: false })])
      assert.deepEqual(ended, { code: 0, signal: null })
    })
  })

describe('an answer that is refused', () => {
  it('is a problem of the catalogue, also where nothing is served', async () => {
    const [name = ''] = SPEC_SERVICES
    const service = await startSpecService(name)
    assertProblem(await service.send('GET', '/no-such-path'), 404, 'not_found')
    assertProblem(await service.send('DELETE', '/transactions'), 405, 'method_not_allowed')
    await service.stop()
  })
})

import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { AgentMetrics, PublicAgent, PublicTransaction, PublicTransactionDetail } from '../../src/schema/public-agent.ts'
import { VerificationService } from '../../src/schema/verification-service.ts'
import { assertProblem, payment, SPEC_SERVICES, type SpecService, startSpecService } from '../support/spec-service.ts'

const SUBMITTED = 5

for (const name of SPEC_SERVICES)
  describe(`the public interface on ${name}`, () => {
    let service: SpecService
    let agent: Awaited<ReturnType<SpecService['newAgent']>>
    const hashes: string[] = []
    before(async () => {
      service = await startSpecService(name)
      agent = await service.newAgent({ caps: { perTxUsd: 100 } })
      for (let i = 0; i < SUBMITTED; i++) {
        const proposedTx = payment(agent.wallet, i === 0 ? 10n ** 18n : 10n ** 16n)
        const context = { metadata: { note: 'only mine' }, contextLogs: { note: 'only mine' } }
        const body = { escrowAddress: agent.wallet, prompt: `Payment ${i}.`, proposedTx, ...context }
        const { body: record } = await service.send('POST', '/transactions', { key: agent.key, body })
        hashes.push(String(record['requestHash']))
        await service.verdictOn(hashes[i] ?? '', agent.key)
      }
      const report = { txHash: `0x${'cd'.repeat(32)}` }
      await service.send('POST', `/transactions/${hashes[1]}/execution`, { key: agent.key, body: report })
    })
    after(() => service?.stop())
    const read = (path: string, headers = {}) => service.send('GET', `/public/agents/${path}`, { headers })

    it('gives a profile with counts', async () => {
      const { body } = await read(agent.ethereumAddress)
      const { stats, ethereumAddress } = PublicAgent.parse(body)
      assert.equal(ethereumAddress, agent.ethereumAddress)
      assert.deepEqual(stats, { submitted: SUBMITTED, approved: SUBMITTED - 1, rejected: 1, executed: 1 })
      assertProblem(await read(`0x${'00'.repeat(19)}01`), 404, 'not_found')
      assertProblem(await read('nobody'), 400, 'invalid_request')
    })

    it('lists transactions newest first, page by page', async () => {
      const seen: string[] = []
      let cursor: string | null = null
      do {
        const page: string = cursor === null ? '' : `&cursor=${cursor}`
        const { body } = await read(`${agent.ethereumAddress}/transactions?limit=2${page}`)
        for (const item of body['items'] as unknown[]) seen.push(PublicTransaction.parse(item).requestHash)
        cursor = body['nextCursor'] as string | null
      } while (cursor !== null)
      assert.deepEqual(seen, hashes.toReversed())
      for (const query of ['limit=0', 'limit=101', 'cursor=x', 'limit=1&limit=2', 'other=1'])
        assertProblem(await read(`${agent.ethereumAddress}/transactions?${query}`), 400, 'invalid_request')
    })

    it('shows one with its verdict, and leaves out what is the owner’s alone', async () => {
      const answer = await read(`${agent.ethereumAddress}/transactions/${hashes[0]}`)
      const { verdict, outcome } = PublicTransactionDetail.parse(answer.body)
      assert.deepEqual(
        [outcome, verdict?.reasonCode, verdict?.redaction.redacted],
        ['rejected', 'per_tx_cap_exceeded', true],
      )
      for (const secret of ['only mine', '"metadata":', '"contextLogs":', '"prompt":', 'outflow24h'])
        assert.ok(!answer.text.includes(secret), secret)
      const other = await service.newAgent()
      assertProblem(await read(`${other.ethereumAddress}/transactions/${hashes[0]}`), 404, 'not_found')
    })

    it('counts metrics of each period', async () => {
      for (const period of ['24h', '7d', '30d', 'all']) {
        const metrics = AgentMetrics.parse((await read(`${agent.ethereumAddress}/metrics?period=${period}`)).body)
        const { submitted, approved, rejected, pending, executed, approvalRate, usdVolume, latencyMs } = metrics
        assert.deepEqual([submitted, approved, rejected, pending, executed], [SUBMITTED, SUBMITTED - 1, 1, 0, 1])
        assert.deepEqual([approvalRate, usdVolume], [0.8, 80])
        assert.deepEqual(metrics.byReasonCode, { allowed: SUBMITTED - 1, per_tx_cap_exceeded: 1 })
        assert.deepEqual(metrics.byProtocol, { native: SUBMITTED })
        assert.ok(latencyMs.p50 !== null && latencyMs.p99 !== null && latencyMs.p50 <= latencyMs.p99)
        assert.equal(
          metrics.series.reduce((sum, point) => sum + point.approved, 0),
          SUBMITTED - 1,
        )
      }
      assertProblem(await read(`${agent.ethereumAddress}/metrics?period=1y`), 400, 'invalid_request')
    })

    it('answers 304 to whoever has it already', async () => {
      const first = await read(`${agent.ethereumAddress}/transactions`)
      const etag = first.headers.get('etag') ?? ''
      assert.match(first.headers.get('cache-control') ?? '', /^public, max-age=\d+$/)
      const again = await read(`${agent.ethereumAddress}/transactions`, { 'if-none-match': etag })
      assert.deepEqual([again.status, again.text], [304, ''])
      for (const path of ['', '/openapi.json', '/verification-services']) {
        const { headers } = await service.send('GET', path)
        const held = { headers: { 'if-none-match': headers.get('etag') ?? assert.fail(path) } }
        assert.equal((await service.send('GET', path, held)).status, 304, path)
      }
    })

    it('names the verification services, by id and by inbox', async () => {
      const { body } = await service.send('GET', '/verification-services')
      const [own] = body['items'] as unknown[]
      const { id, inbox } = VerificationService.parse(own)
      for (const path of [id, `inbox/${inbox}`])
        assert.deepEqual((await service.send('GET', `/verification-services/${path}`)).body, own)
      assert.deepEqual((await service.send('GET', '/verification-services/active')).body['items'], [own])
      assertProblem(await service.send('GET', '/verification-services/none'), 404, 'not_found')
      const nobody = `0x${'00'.repeat(19)}01`
      assertProblem(await service.send('GET', `/verification-services/inbox/${nobody}`), 404, 'not_found')
    })
  })

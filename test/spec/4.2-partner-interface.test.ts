import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { IntegratorPolicy, Verification } from '../../src/schema/verification.ts'
import { assertProblem, payment, SPEC_SERVICES, type SpecService, startSpecService } from '../support/spec-service.ts'

const TX_HASH = `0x${'cd'.repeat(32)}`
const REPLICAS = 3
const AT_ONCE = 50

for (const name of SPEC_SERVICES)
  describe(`the partner interface on ${name}`, () => {
    let service: SpecService
    let partner: Awaited<ReturnType<SpecService['newPartner']>>
    before(async () => {
      service = await startSpecService(name, REPLICAS)
      partner = await service.newPartner({ caps: { perTxUsd: 100, outflow24hUsd: 100_000 } })
    })
    after(() => service?.stop())

    const request = (wei?: bigint) => ({ walletAddress: partner.wallet, proposedTx: payment(partner.wallet, wei) })
    const verify = (body: unknown = request(), headers = {}) =>
      partner.send('POST', '/verifications', { body, headers })
    const approved = async () => {
      const answer = await verify()
      assert.equal(answer.status, 201, answer.text)
      const verification = Verification.parse(answer.body)
      assert.equal(verification.verdict?.outcome, 'approved', answer.text)
      return verification
    }
    const post = (id: string, verb: string, body?: object) =>
      partner.send('POST', `/verifications/${id}/${verb}`, { body })

    it("4.2: reads a wallet's policy", async () => {
      const read = (wallet: string) => partner.send('GET', `/policies?walletAddress=${wallet}`)
      const answer = await read(partner.wallet)
      const { walletAddress, chainIds, version, policy } = IntegratorPolicy.parse(answer.body)
      assert.deepEqual([walletAddress, chainIds, version, policy.caps?.perTxUsd], [partner.wallet, [8453], 1, 100])
      assertProblem(await read((await service.newPartner()).wallet), 404, 'not_found')
      assertProblem(await partner.send('GET', '/policies'), 400, 'invalid_request')
    })

    it('2.10: answers with the verdict, and finds it by id and by requestHash', async () => {
      const verification = await approved()
      assert.deepEqual([verification.status, verification.execution], ['PENDING', null])
      for (const id of [verification.id, verification.requestHash]) {
        const { body } = await partner.send('GET', `/verifications/${id}`)
        assert.deepEqual([body['id'], body['requestHash']], [verification.id, verification.requestHash])
      }
      const { body } = await verify(request(10n ** 18n))
      assert.equal(Verification.parse(body).verdict?.reasonCode, 'per_tx_cap_exceeded')
    })

    it('3: approved → executed; the same report again is the same, another is a conflict', async () => {
      const { id } = await approved()
      for (let i = 0; i < 2; i++) {
        const answer = await post(id, 'execution', { txHash: TX_HASH })
        assert.deepEqual([answer.status, answer.body['status']], [200, 'EXECUTED'])
        assert.equal(Verification.parse(answer.body).execution?.txHash, TX_HASH)
      }
      assertProblem(await post(id, 'execution', { txHash: `0x${'ef'.repeat(32)}` }), 409, 'already_executed')
      assertProblem(await post(id, 'cancel'), 409, 'already_executed')
    })

    it('3: approved → cancelled, again the same, and no execution after it', async () => {
      const { id } = await approved()
      for (let i = 0; i < 2; i++) assert.equal((await post(id, 'cancel')).body['status'], 'CANCELLED')
      assertProblem(await post(id, 'execution', { txHash: TX_HASH }), 409, 'cancelled')
    })

    it('3: what is not approved can be neither executed nor cancelled', async () => {
      const id = String((await verify(request(10n ** 18n))).body['id'])
      assertProblem(await post(id, 'execution', { txHash: TX_HASH }), 409, 'not_approved')
      assertProblem(await post(id, 'cancel'), 409, 'not_approved')
    })

    it('7.2: answers 400, 401, 403 and 404 as the table says', async () => {
      const { id } = await approved()
      assertProblem(await verify({ walletAddress: partner.wallet }), 400, 'invalid_request')
      assertProblem(await post(id, 'execution', {}), 400, 'tx_hash_required')
      assertProblem(await post(id, 'execution', { orderId: '1' }), 400, 'tx_hash_required')
      for (const key of ['', 'a b', 'ü', 'x'.repeat(129)]) {
        const answer = await verify(request(), { 'idempotency-key': key }).catch(() => undefined)
        if (answer) assertProblem(answer, 400, 'invalid_idempotency_key')
      }
      const credentials = { 'x-app-id': partner.appId, 'x-api-key': partner.key }
      for (const wrong of [{ 'x-app-id': 'other' }, { 'x-api-key': `cs_integration_${'A'.repeat(43)}` }]) {
        const headers = { ...credentials, ...wrong }
        assertProblem(await service.send('GET', `/integrator/verifications/${id}`, { headers }), 401, 'unauthenticated')
      }
      const { key } = partner
      assertProblem(await service.send('GET', `/integrator/verifications/${id}`, { key }), 401, 'unauthenticated')
      const elsewhere = { ...request(), proposedTx: { ...payment(partner.wallet), chainId: 1 } }
      assertProblem(await verify(elsewhere), 403, 'wallet_not_registered')
      const other = await service.newPartner()
      assertProblem(await verify({ ...request(), walletAddress: other.wallet }), 404, 'not_found')
      assertProblem(await other.send('GET', `/verifications/${id}`), 404, 'not_found')
      assertProblem(await other.send('POST', `/verifications/${id}/cancel`), 404, 'not_found')
      assertProblem(await service.send('GET', '/admin/agents', { headers: credentials }), 403, 'insufficient_scope')
    })

    it('8: one key and body give one verification; the same key with another body is a conflict', async () => {
      const key = { 'idempotency-key': crypto.randomUUID() }
      const first = await verify(request(), key)
      const again = await verify(request(), key)
      assert.deepEqual([first.status, again.status], [201, 200])
      assert.equal(again.headers.get('idempotent-replayed'), 'true')
      assert.equal(again.text, first.text)
      assertProblem(await verify(request(3n), key), 409, 'idempotency_conflict')
      assertProblem(await verify(JSON.stringify(request(), null, 1), key), 409, 'idempotency_conflict')
      const executed = await post(String(first.body['id']), 'execution', { txHash: TX_HASH })
      assert.equal(executed.status, 200)
      assert.equal((await verify(request(), key)).text, first.text, 'a replay stays what it was')
      const [one, two] = [await verify(), await verify()]
      assert.notEqual(one.body['id'], two.body['id'], 'without a key a retry is a second verification')
    })

    it(`8: ${AT_ONCE} requests at once with one key over all processes give one verification and one body`, async () => {
      const own = await service.newPartner({})
      const headers = { 'idempotency-key': 'at-once' }
      const body = { walletAddress: own.wallet, proposedTx: payment(own.wallet) }
      const send = (_: unknown, replica: number) => own.send('POST', '/verifications', { body, headers, replica })
      const answers = await Promise.all(Array.from({ length: AT_ONCE }, send))
      assert.equal(new Set(answers.map(({ text }) => text)).size, 1)
      assert.equal(answers.filter(({ status }) => status === 201).length, 1)
      assert.ok(
        answers.every(({ status, headers: h }) => (h.get('idempotent-replayed') === 'true') === (status === 200)),
      )
      assert.equal(Verification.parse(answers[0]?.body).verdict?.outcome, 'approved')
    })

    // Where there is one process its crash ends the service: what is kept then is tested with the store.
    if (name === 'a PostgreSQL server')
      it('8: a key that a crash left without an answer gives the original', async () => {
        const third = service.processes[2] ?? assert.fail('three processes')
        const body = request()
        const headers = { 'idempotency-key': crypto.randomUUID() }
        const lost = partner.send('POST', '/verifications', { body, headers, replica: 2 }).catch(() => undefined)
        await new Promise((resolve) => setTimeout(resolve, 15))
        third.child.kill('SIGKILL')
        await Promise.all([third.exited, lost])
        const answers = []
        for (let i = 0; i < 3; i++)
          answers.push(await partner.send('POST', '/verifications', { body, headers, replica: i % 2 }))
        assert.equal(new Set(answers.map((answer) => answer.text)).size, 1)
        assert.equal(new Set(answers.map((answer) => answer.body['id'])).size, 1)
      })
  })

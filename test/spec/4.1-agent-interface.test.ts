import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { createClient } from '../../src/client/index.ts'
import { canonicalJson } from '../../src/lib/canonical-json.ts'
import { keccak256 } from '../../src/lib/hash.ts'
import { TransactionRecord } from '../../src/schema/action.ts'
import { ApprovalStatus } from '../../src/schema/approval-status.ts'
import { CHECK_IDS } from '../../src/schema/check.ts'
import { assertProblem, payment, SPEC_SERVICES, type SpecService, startSpecService } from '../support/spec-service.ts'

for (const name of SPEC_SERVICES)
  describe(`the agent interface on ${name}`, () => {
    let service: SpecService
    let agent: Awaited<ReturnType<SpecService['newAgent']>>
    before(async () => {
      service = await startSpecService(name)
      agent = await service.newAgent({ caps: { perTxUsd: 100 } })
    })
    after(() => service?.stop())

    const submit = (change: object = {}, key = agent.key) => {
      const body = { escrowAddress: agent.wallet, prompt: 'Pay myself.', proposedTx: payment(agent.wallet), ...change }
      return service.send('POST', '/transactions', { key, body })
    }
    const submitted = async (change: object = {}) => {
      const answer = await submit(change)
      assert.equal(answer.status, 201, answer.text)
      return TransactionRecord.parse(answer.body)
    }

    it('2.1, 2.3: stores a submission before it answers 201, with a request hash of its own', async () => {
      const [one, two] = [
        await submitted({ arbiter: 'policy', metadata: { run: 1 }, contextLogs: {} }),
        await submitted(),
      ]
      assert.deepEqual([one.status, one.description], ['PENDING', 'Pay myself.'])
      assert.match(one.requestHash, /^0x[0-9a-f]{64}$/)
      assert.notEqual(one.requestHash, two.requestHash)
    })

    it('2.4 to 2.8: gives a verdict with all 15 checks, whose reason agrees with its outcome', async () => {
      const { requestHash } = await submitted()
      const approved = await service.verdictOn(requestHash, agent.key)
      assert.deepEqual([approved.outcome, approved.reasonCode, approved.policyVersion], ['approved', 'allowed', 1])
      assert.deepEqual([...new Set(approved.checks.map(({ checkId }) => checkId))], [...CHECK_IDS])
      const large = await submitted({ proposedTx: payment(agent.wallet, 10n ** 18n) })
      const rejected = await service.verdictOn(large.requestHash, agent.key)
      assert.deepEqual(
        [rejected.outcome, rejected.reasonCode, rejected.triggeringPolicyField],
        ['rejected', 'per_tx_cap_exceeded', 'caps.perTxUsd'],
      )
    })

    it('2.2, 2.9: takes the legacy shape, and answers its status in the form that it reads', async () => {
      const { to, data, value } = payment(agent.wallet)
      const legacy = { escrowAddress: agent.wallet, userPrompt: 'Pay myself.', tx: { to, data, value }, chainId: 8453 }
      const answer = await service.send('POST', '/transactions', { key: agent.key, body: legacy })
      assert.equal(answer.status, 201, answer.text)
      const { requestHash, status, id } = TransactionRecord.parse(answer.body)
      assert.deepEqual([status, typeof id], ['PENDING', 'string'])
      await service.verdictOn(requestHash, agent.key)
      const path = `/transactions/${requestHash}/approval-status`
      const { reviewer } = ApprovalStatus.parse((await service.send('GET', path, { key: agent.key })).body)
      assert.equal(reviewer[0]?.decision, 'APPROVED')
      const { chainId: _, ...onTestNet } = legacy
      assertProblem(
        await service.send('POST', '/transactions', { key: agent.key, body: onTestNet }),
        403,
        'wallet_not_registered',
      )
      const both = { ...legacy, prompt: 'x' }
      assertProblem(await service.send('POST', '/transactions', { key: agent.key, body: both }), 400, 'invalid_request')
    })

    it('2.1: refuses secrets in prompt, metadata and contextLogs, names the field and never echoes them', async () => {
      const key = `0x${'4c0883a69102937d6231471b5dbb6204fe512961708279f8b1f7a3c0d1e2f3a4'}`
      const phrase = 'legal winner thank year wave sausage worth useful legal winner thank yellow'
      const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U'
      const secrets: readonly (readonly [path: string, secret: string, change: object])[] = [
        ['prompt', key, { prompt: `Use my key ${key}` }],
        ['prompt', phrase, { prompt: `My words: ${phrase}.` }],
        ['metadata.deep.0', jwt, { metadata: { deep: [jwt] } }],
        ['metadata.apiKey', 'hunter2-hunter2', { metadata: { apiKey: 'hunter2-hunter2' } }],
        ['contextLogs.note', agent.key, { contextLogs: { note: `sent with ${agent.key}` } }],
        ['contextLogs.k', 'sk-ant-REDACTED', { contextLogs: { k: 'sk-ant-REDACTED' } }],
      ]
      for (const [path, secret, change] of secrets) {
        const answer = await submit(change)
        assertProblem(answer, 400, 'invalid_request')
        assert.deepEqual((answer.body['errors'] as { path: string }[])[0]?.path, path)
        assert.ok(!answer.text.includes(secret), path)
      }
      const hash = `0x${'ab'.repeat(32)}`
      await submitted({ prompt: `Pay as in transaction ${hash}.`, metadata: { txHash: hash, traceId: 'a1' } })
    })

    it('7.1: answers 400, 401, 403 and 404 as the table says', async () => {
      assertProblem(await submit({ proposedTx: { protocol: 'native', chainId: 'x' } }), 400, 'invalid_request')
      assertProblem(await submit({ noSuchField: 1 }), 400, 'invalid_request')
      assertProblem(await submit({}, `cs_agent_${'A'.repeat(43)}`), 401, 'unauthenticated')
      assertProblem(
        await submit({ proposedTx: { ...payment(agent.wallet), chainId: 1 } }),
        403,
        'wallet_not_registered',
      )
      const other = await service.newAgent()
      const { requestHash } = await submitted()
      const status = (hash: string, key: string) =>
        service.send('GET', `/transactions/${hash}/approval-status`, { key })
      assertProblem(await status(requestHash, other.key), 403, 'not_owner')
      assertProblem(await status(`0x${'00'.repeat(32)}`, agent.key), 404, 'not_found')
    })

    it('contract 4: takes a report and a cancel, each once', async () => {
      const txHash = `0x${'cd'.repeat(32)}`
      const post = (hash: string, verb: string, body?: object) =>
        service.send('POST', `/transactions/${hash}/${verb}`, { key: agent.key, body })
      const one = await submitted()
      assert.equal((await service.verdictOn(one.requestHash, agent.key)).outcome, 'approved')
      assertProblem(await post(one.requestHash, 'execution', {}), 400, 'tx_hash_required')
      assertProblem(await post(one.requestHash, 'execution', { txHash: '0x12' }), 400, 'invalid_request')
      for (let i = 0; i < 2; i++)
        assert.equal((await post(one.requestHash, 'execution', { txHash })).body['status'], 'EXECUTED')
      const other = { txHash: `0x${'ef'.repeat(32)}` }
      assertProblem(await post(one.requestHash, 'execution', other), 409, 'already_executed')
      assertProblem(await post(one.requestHash, 'cancel'), 409, 'already_executed')
      const two = await submitted()
      await service.verdictOn(two.requestHash, agent.key)
      for (let i = 0; i < 2; i++) assert.equal((await post(two.requestHash, 'cancel')).body['status'], 'CANCELLED')
      assertProblem(await post(two.requestHash, 'execution', { txHash }), 409, 'cancelled')
    })

    it('7.1: lists what was submitted, by which a submission that was not answered is found again', async () => {
      const own = await service.newAgent({})
      const client = createClient({ baseUrl: service.urls[0] ?? '', apiKey: own.key })
      const proposedTx = payment(own.wallet)
      const body = { escrowAddress: own.wallet, prompt: 'Pay myself.', proposedTx }
      const sent = []
      for (let i = 0; i < 3; i++) sent.push(await client.call('submitTransaction', { body }))
      const hashes = sent.map((answer) => (answer.ok ? answer.body.requestHash : assert.fail()))
      const first = await client.call('listTransactions', { query: { limit: '2' } })
      assert.ok(first.ok)
      const rest = await client.call('listTransactions', { query: { cursor: first.body.nextCursor ?? '' } })
      assert.ok(rest.ok)
      const listed = [...first.body.items, ...rest.body.items]
      assert.deepEqual(
        listed.map(({ requestHash }) => requestHash),
        hashes.toReversed(),
      )
      // The hash binds the id to the bytes.
      for (const { id, requestHash } of listed)
        assert.equal(keccak256(canonicalJson({ id, escrowAddress: own.wallet, proposedTx })), requestHash)
      const other = await createClient({ baseUrl: service.urls[0] ?? '', apiKey: agent.key }).call('listTransactions')
      assert.ok(other.ok && other.body.items.every(({ requestHash }) => !hashes.includes(requestHash)))
      const nobody = await createClient({ baseUrl: service.urls[0] ?? '' }).call('listTransactions')
      assert.ok(!nobody.ok && nobody.status === 401 && nobody.problem?.error === 'unauthenticated')
    })

    it('contract 3: an agent reads the policy of its own wallet, and writes none', async () => {
      const read = (wallet: string) => service.send('GET', `/wallets/${wallet}/policy`, { key: agent.key })
      const answer = await read(agent.wallet)
      assert.deepEqual([answer.status, answer.body['policy']], [200, { caps: { perTxUsd: 100 } }])
      assert.equal(answer.headers.get('etag'), '"1"')
      assertProblem(await read((await service.newAgent()).wallet), 403, 'not_owner')
      const write = await service.send('PUT', `/wallets/${agent.wallet}/policy`, { key: agent.key, body: {} })
      assertProblem(write, 403, 'insufficient_scope')
    })

    it('a wallet without a policy gets data_unavailable, and is never approved', async () => {
      const bare = await service.newAgent(null)
      const body = { escrowAddress: bare.wallet, prompt: 'p', proposedTx: payment(bare.wallet) }
      const { body: record } = await service.send('POST', '/transactions', { key: bare.key, body })
      const verdict = await service.verdictOn(String(record['requestHash']), bare.key)
      assert.deepEqual([verdict.outcome, verdict.reasonCode], ['rejected', 'data_unavailable'])
    })
  })

import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { TransactionRecord } from '../../src/schema/action.ts'
import { Agent, Wallet } from '../../src/schema/agent.ts'
import { IssuedApiKey } from '../../src/schema/api-key.ts'
import { ApprovalStatus } from '../../src/schema/approval-status.ts'
import { AuditEntry } from '../../src/schema/audit-entry.ts'
import { pageOf } from '../../src/schema/page.ts'
import { PolicyRecord } from '../../src/schema/policy-record.ts'
import { ADMIN_KEY, HASH, problemIn, startServer, WALLET } from './running-server.ts'

const running = await startServer()
after(() => running.close())
const { agent, agentKey } = running

const send = (method: string, path: string, key: string, body?: object, headers: Record<string, string> = {}) =>
  running.request(method, `/api${path}`, {
    key,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  })
const admin = (method: string, path: string, body?: object, headers?: Record<string, string>) =>
  send(method, `/admin${path}`, ADMIN_KEY, body, headers)

const ACTION = {
  escrowAddress: WALLET,
  prompt: 'Move 1 wei to the wallet itself.',
  proposedTx: { protocol: 'native', chainId: 8453, to: WALLET, data: '0x', value: '0x00' },
}

async function decided(requestHash: string): Promise<ApprovalStatus> {
  for (;;) {
    const answer = await send('GET', `/transactions/${requestHash}/approval-status`, agentKey)
    assert.equal(answer.status, 200)
    const status = ApprovalStatus.parse(JSON.parse(answer.text))
    if (status.verdict !== null) return status
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe('the admin interface', () => {
  it('registers agents and wallets', async () => {
    const other = { name: 'other', ethereumAddress: '0x3333333333333333333333333333333333333333' }
    const created = await admin('POST', '/agents', other)
    assert.equal(created.status, 201)
    const { id, wallets } = Agent.parse(JSON.parse(created.text))
    assert.deepEqual(wallets, [])
    assert.equal(problemIn(await admin('POST', '/agents', other)).error, 'conflict')

    const added = await admin('POST', `/agents/${agent.id}/wallets`, { address: WALLET, chainIds: [8453] })
    assert.deepEqual([added.status, Wallet.parse(JSON.parse(added.text)).chainIds], [201, [8453]])
    const taken = await admin('POST', `/agents/${id}/wallets`, { address: WALLET, chainIds: [8453] })
    assert.equal(problemIn(taken).error, 'conflict')

    const first = pageOf(Agent).parse(JSON.parse((await admin('GET', '/agents?limit=1')).text))
    assert.equal(first.items[0]?.id, id)
    const next = pageOf(Agent).parse(
      JSON.parse((await admin('GET', `/agents?limit=1&cursor=${first.nextCursor}`)).text),
    )
    assert.deepEqual(next.items[0]?.wallets, [{ address: WALLET, chainIds: [8453] }])
    assert.equal((await admin('GET', `/agents/${id}`)).status, 200)
    assert.equal(problemIn(await admin('GET', '/agents/nobody')).error, 'not_found')
  })

  it('issues keys, and what it revokes is dead with the next request', async () => {
    const body = { type: 'AGENT', agentId: agent.id, scopes: ['verdicts:create:own'] }
    const issued = await admin('POST', '/api-keys', body)
    assert.equal(issued.status, 201)
    const { id, apiKey, scopes } = IssuedApiKey.parse(JSON.parse(issued.text))
    assert.deepEqual(scopes, ['verdicts:create:own'])
    const path = `/transactions/${HASH}/approval-status`
    assert.equal((await send('GET', path, apiKey)).status, 404)
    const revoked = await admin('DELETE', `/api-keys/${id}`)
    assert.deepEqual([revoked.status, revoked.text], [204, ''])
    assert.equal((await send('GET', path, apiKey)).status, 401)
    assert.equal(problemIn(await admin('DELETE', `/api-keys/${id}`)).error, 'not_found')
    const beyond = await admin('POST', '/api-keys', { ...body, scopes: ['policies:write:own'] })
    assert.equal(problemIn(beyond).errors?.[0]?.path, 'scopes.0')
  })

  it('writes policies, and not over a version that the writer has not seen', async () => {
    const path = `/policies/${WALLET}`
    assert.equal(problemIn(await admin('GET', path)).error, 'not_found')
    const first = await admin('PUT', path, { chains: { allow: [8453] } })
    assert.deepEqual([first.status, first.headers.get('etag')], [200, '"1"'])
    const second = await admin('PUT', path, { chains: { allow: [8453, 1] } }, { 'if-match': '"1"' })
    assert.equal(PolicyRecord.parse(JSON.parse(second.text)).version, 2)
    const stale = await admin('PUT', path, {}, { 'if-match': '"1"' })
    assert.equal(problemIn(stale).error, 'precondition_failed')
    for (const tag of ['1', 'W/"1"', '"x"', '"1", "2"', '*'])
      assert.equal(problemIn(await admin('PUT', path, {}, { 'if-match': tag })).errors?.[0]?.path, 'if-match')
    const current = await admin('GET', path)
    assert.deepEqual(PolicyRecord.parse(JSON.parse(current.text)).policy, { chains: { allow: [8453, 1] } })
    const versions = pageOf(PolicyRecord).parse(JSON.parse((await admin('GET', `${path}/versions`)).text))
    assert.deepEqual(
      versions.items.map(({ version, createdBy }) => [version, createdBy]),
      [
        [2, 'service-admin'],
        [1, 'service-admin'],
      ],
    )
    const wrong = await admin('PUT', path, { caps: { perTxUsd: -1, daily: 1 } })
    assert.deepEqual(
      problemIn(wrong)
        .errors?.map((error) => error.path)
        .toSorted(),
      ['caps.daily', 'caps.perTxUsd'],
    )
  })

  it('shows the audit log, page by page', async () => {
    const Page = pageOf(AuditEntry)
    const seen: number[] = []
    for (let cursor = ''; ; ) {
      const page = Page.parse(JSON.parse((await admin('GET', `/audit?limit=3${cursor}`)).text))
      seen.push(...page.items.map(({ seq }) => seq))
      if (page.nextCursor === null) break
      cursor = `&cursor=${page.nextCursor}`
    }
    assert.ok(seen.length >= 6)
    assert.deepEqual(
      seen,
      seen.map((_, index) => seen.length - index),
    )
  })
})

describe('the agent interface', () => {
  it('stores a submission, and reads its verdict', async () => {
    const answer = await send('POST', '/transactions', agentKey, ACTION)
    assert.equal(answer.status, 201)
    const record = TransactionRecord.parse(JSON.parse(answer.text))
    assert.equal(record.status, 'PENDING')
    const { verdict, reviewer } = await decided(record.requestHash)
    const decision = verdict?.outcome === 'approved' ? 'APPROVED' : 'REJECTED'
    assert.deepEqual(
      reviewer.map((opinion) => [opinion.decision, opinion.analysis]),
      [[decision, verdict?.humanReason]],
    )
  })

  it('serves nobody but the owner', async () => {
    const { requestHash } = TransactionRecord.parse(
      JSON.parse((await send('POST', '/transactions', agentKey, ACTION)).text),
    )
    const other = await running.auth.issueKey({
      type: 'AGENT',
      agentId: Agent.parse(
        JSON.parse(
          (await admin('POST', '/agents', { name: 'x', ethereumAddress: '0x4444444444444444444444444444444444444444' }))
            .text,
        ),
      ).id,
    })
    const path = `/transactions/${requestHash}`
    assert.equal(problemIn(await send('GET', `${path}/approval-status`, other.apiKey)).error, 'not_owner')
    assert.equal(problemIn(await send('POST', `${path}/cancel`, other.apiKey)).error, 'not_owner')
    const report = { txHash: HASH }
    assert.equal(problemIn(await send('POST', `${path}/execution`, other.apiKey, report)).error, 'not_owner')
    assert.equal(problemIn(await send('POST', '/transactions', other.apiKey, ACTION)).error, 'wallet_not_registered')
    const elsewhere = { ...ACTION, proposedTx: { ...ACTION.proposedTx, chainId: 1 } }
    assert.equal(problemIn(await send('POST', '/transactions', agentKey, elsewhere)).error, 'wallet_not_registered')
    for (const hash of [HASH, 'x', '0x'])
      assert.equal(problemIn(await send('GET', `/transactions/${hash}/approval-status`, agentKey)).error, 'not_found')
  })

  it('takes an execution report of an approved action only, and names what is missing', async () => {
    const unpriced = { ...ACTION, proposedTx: { ...ACTION.proposedTx, data: '0x12345678' } }
    const answer = await send('POST', '/transactions', agentKey, unpriced)
    const { requestHash } = TransactionRecord.parse(JSON.parse(answer.text))
    assert.equal((await decided(requestHash)).verdict?.outcome, 'rejected')
    const path = `/transactions/${requestHash}/execution`
    assert.equal(problemIn(await send('POST', path, agentKey, { txHash: HASH })).error, 'not_approved')
    assert.equal(problemIn(await send('POST', path, agentKey, {})).error, 'tx_hash_required')
    assert.equal(problemIn(await send('POST', path, agentKey, { txHash: '0x12' })).error, 'invalid_request')
  })
})

// An agent of somebody else's, by HTTP alone: the process decides by real bytes, and by what a real chain says.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { type EvmTx, TransactionRecord } from '../../src/schema/action.ts'
import { Agent } from '../../src/schema/agent.ts'
import { IssuedApiKey } from '../../src/schema/api-key.ts'
import { ApprovalStatus } from '../../src/schema/approval-status.ts'
import { PolicyRecord } from '../../src/schema/policy-record.ts'
import { Problem } from '../../src/schema/problem.ts'
import type { Verdict } from '../../src/schema/verdict.ts'
import { approveToken, DAI, FRIEND, PERMIT2, STRANGER, swap, transfer, USDC, WALLET } from '../support/actions.ts'
import { type Product, startProduct, temporaryFolder } from '../support/product.ts'

const ADMIN_KEY = 'an-admin-key-of-an-end-to-end-test'
const POLICY = {
  venues: { allow: ['uniswap', 'erc20', 'permit2'] },
  chains: { allow: [1] },
  recipients: { allow: [FRIEND] },
  slippage: { maxBps: 100 },
  caps: { perTxUsd: 250, outflow24hUsd: 1_000 },
}
const dollar = 1_000_000n
const milliEther = 10n ** 15n

describe('the agent interface', () => {
  let chain: LocalChain
  let product: Product
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  let agentKey: string
  let otherKey: string

  before(async () => {
    folder = await temporaryFolder()
    chain = await startLocalChain({ blockTime: 5 })
    // It polls faster than a client may.
    const config = { service: { rateLimits: { agentPerMinute: 0 } } }
    await writeFile(join(folder.path, 'agents.config.json'), JSON.stringify(config))
    product = await startProduct({ cwd: folder.path, env: { RPC_URL: chain.rpcUrl, SERVICE_ADMIN_KEY: ADMIN_KEY } })
    agentKey = await newAgent('trader', WALLET, [{ address: WALLET, chainIds: [1] }])
    otherKey = await newAgent('other', STRANGER, [])
    const written = await product.send('PUT', `/api/admin/policies/${WALLET}`, { key: ADMIN_KEY, body: POLICY })
    assert.deepEqual([written.status, PolicyRecord.parse(written.body).version], [200, 1])
  })
  after(async () => {
    await product?.stop()
    await chain?.stop()
    await folder?.remove()
  })

  async function newAgent(name: string, ethereumAddress: string, wallets: readonly object[]): Promise<string> {
    const body = { name, ethereumAddress, wallets }
    const created = await product.send('POST', '/api/admin/agents', { key: ADMIN_KEY, body })
    assert.equal(created.status, 201, JSON.stringify(created.body))
    const { id } = Agent.parse(created.body)
    const scopes = ['verdicts:create:own']
    const issued = await product.send('POST', '/api/admin/api-keys', {
      key: ADMIN_KEY,
      body: { type: 'AGENT', agentId: id, scopes },
    })
    assert.equal(issued.status, 201, JSON.stringify(issued.body))
    return IssuedApiKey.parse(issued.body).apiKey
  }

  async function submit(proposedTx: EvmTx): Promise<string> {
    const body = { escrowAddress: WALLET, prompt: 'As the owner wished.', proposedTx, arbiter: 'policy' }
    const answer = await product.send('POST', '/api/transactions', { key: agentKey, body })
    assert.equal(answer.status, 201, JSON.stringify(answer.body))
    const record = TransactionRecord.parse(answer.body)
    assert.equal(record.status, 'PENDING')
    return record.requestHash
  }

  async function verdictOn(proposedTx: EvmTx): Promise<Verdict> {
    const requestHash = await submit(proposedTx)
    for (;;) {
      const answer = await product.send('GET', `/api/transactions/${requestHash}/approval-status`, { key: agentKey })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      const { verdict, reviewer } = ApprovalStatus.parse(answer.body)
      if (verdict === null) {
        await sleep(20)
        continue
      }
      const decision = verdict.outcome === 'approved' ? 'APPROVED' : 'REJECTED'
      assert.deepEqual([reviewer[0]?.decision, reviewer[0]?.analysis], [decision, verdict.humanReason])
      return verdict
    }
  }

  async function rejected(proposedTx: EvmTx, reasonCode: string, field: string | null, says: RegExp): Promise<void> {
    const verdict = await verdictOn(proposedTx)
    assert.deepEqual(
      [verdict.outcome, verdict.reasonCode, verdict.triggeringPolicyField],
      ['rejected', reasonCode, field],
      verdict.humanReason,
    )
    assert.match(verdict.humanReason, says)
  }

  it('approves a swap within the policy, valued by the feeds of the chain', async () => {
    const { outcome, reasonCode, humanReason, usdNotional, checks, policyVersion, trust } = await verdictOn(swap())
    assert.deepEqual(
      [outcome, reasonCode, usdNotional, policyVersion, trust.level],
      ['approved', 'allowed', 100, 1, 'high'],
      humanReason,
    )
    assert.match(humanReason, /100 USDC leaves; at least 0\.0331 WETH comes back; worth \$100\.00\.$/)
    assert.ok(checks.every(({ status }) => status !== 'failed'))
  })

  it('approves the approval that a swap needs, and a transfer to a friend', async () => {
    assert.equal((await verdictOn(approveToken(USDC, PERMIT2, (1n << 256n) - 1n))).outcome, 'approved')
    assert.equal((await verdictOn(transfer(USDC, FRIEND, dollar))).outcome, 'approved')
  })

  it('rejects a swap to a stranger', () =>
    rejected(swap({ to: STRANGER }), 'recipient_not_allowed', 'recipients.allow', /DeaDBeef would receive value/))

  it('rejects a swap without a minimum, and says which would do', () =>
    rejected(
      swap({ minOut: 0n }),
      'no_slippage_guard',
      null,
      /sets no minimum output; it needs a minimum output of at least 0\.033 WETH/,
    ))

  it('rejects a minimum far below the price', () =>
    rejected(
      swap({ minOut: 30n * milliEther }),
      'no_slippage_guard',
      'slippage.maxBps',
      /worth \$90\.00 for \$100\.00 paid/,
    ))

  it('rejects what is above the cap, and says what would not be', () =>
    rejected(
      swap({ amountIn: 300n * dollar, minOut: 100n * milliEther }),
      'per_tx_cap_exceeded',
      'caps.perTxUsd',
      /\$300\.00 is above the cap of \$250\.00 per transaction; up to 250 USDC would pass\./,
    ))

  it('rejects a contract that it does not know', () =>
    rejected(
      { ...swap(), to: '0x1111111254eeb25477b68fb85ed929f73a960582' },
      'decode_failure',
      null,
      /is no contract that countersign knows/,
    ))

  it('rejects a friend from the moment that he is sanctioned', async () => {
    await chain.sanction(FRIEND)
    await rejected(
      transfer(USDC, FRIEND, dollar),
      'sanctioned_address',
      null,
      /^Sanctioned: 0x0000000000000000000000000000000000F41e4D\.$/,
    )
    await chain.sanction(FRIEND, false)
    assert.equal((await verdictOn(transfer(USDC, FRIEND, dollar))).outcome, 'approved')
  })

  it('rejects while the price feed is stale, and may be asked again', async () => {
    const toDai = swap({ buy: DAI, minOut: 99n * 10n ** 18n })
    await chain.setPrice('DAI/USD', 100_000_000n, Math.floor(Date.now() / 1000) - 3 * 86_400)
    await rejected(
      toDai,
      'data_unavailable',
      'slippage.maxBps',
      /The price feed DAI \/ USD of chain 1 is older than its limit/,
    )
    await chain.setPrice('DAI/USD', 100_000_000n)
    assert.equal((await verdictOn(toDai)).outcome, 'approved')
  })

  it('rejects a token that does not answer', () =>
    rejected(
      transfer('0x00000000000000000000000000000000000000aa', FRIEND, 1n),
      'asset_identity_unresolved',
      null,
      /says what 0x/,
    ))

  it('serves nobody else', async () => {
    const requestHash = await submit(swap())
    const path = `/api/transactions/${requestHash}/approval-status`
    const errorOf = async (method: string, where: string, key?: string, body?: object) => {
      const answer = await product.send(method, where, { ...(key !== undefined && { key }), ...(body && { body }) })
      return [answer.status, Problem.parse(answer.body).error]
    }
    assert.deepEqual(await errorOf('GET', path, otherKey), [403, 'not_owner'])
    assert.deepEqual(await errorOf('GET', path), [401, 'unauthenticated'])
    assert.deepEqual(await errorOf('GET', path, `${agentKey}x`), [401, 'unauthenticated'])
    assert.deepEqual(await errorOf('GET', `/api/transactions/0x${'ab'.repeat(32)}/approval-status`, otherKey), [
      404,
      'not_found',
    ])
    const body = { escrowAddress: WALLET, prompt: 'x', proposedTx: swap() }
    assert.deepEqual(await errorOf('POST', '/api/transactions', otherKey, body), [403, 'wallet_not_registered'])
    assert.deepEqual(await errorOf('GET', '/api/admin/agents', agentKey), [403, 'insufficient_scope'])
    assert.deepEqual(await errorOf('POST', '/api/transactions', agentKey, { ...body, escrowAddress: STRANGER }), [
      403,
      'wallet_not_registered',
    ])
  })

  it('stops at the limit of 24 hours, counting all that it approved, and takes a cancel back', async () => {
    const outcomes: string[] = []
    for (let i = 0; i < 12; i++) {
      const { outcome, reasonCode } = await verdictOn(transfer(USDC, FRIEND, 100n * dollar))
      outcomes.push(reasonCode)
      if (outcome !== 'approved') break
    }
    assert.equal(outcomes.at(-1), 'outflow_24h_exceeded', outcomes.join(', '))
    const log = await product.send('GET', '/api/admin/audit?limit=100', { key: ADMIN_KEY })
    const { items } = log.body as { items: { kind: string; subject: string; payload: { outcome?: string } }[] }
    const approved = items.find(({ kind, payload }) => kind === 'verdict' && payload.outcome === 'approved')
    assert.ok(approved)
    const cancelled = await product.send('POST', `/api/transactions/${approved.subject}/cancel`, { key: agentKey })
    assert.deepEqual([cancelled.status, TransactionRecord.parse(cancelled.body).status], [200, 'CANCELLED'])
    assert.equal((await verdictOn(transfer(USDC, FRIEND, 100n * dollar))).outcome, 'approved')
  })

  it('signs and sends nothing: the chain never heard of the wallet', async () => {
    assert.equal(await chain.request('eth_getTransactionCount', [WALLET, 'latest']), '0x0')
    assert.doesNotMatch(product.stderr(), /"level":50|an-admin-key/)
  })
})

// The golden verdicts through the doors: what the REST interface and the MCP tools answer is what the pure function
// decides.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import type { Hex } from '../../../src/lib/hash.ts'
import { known } from '../../../src/policy/facts.ts'
import { TransactionRecord } from '../../../src/schema/action.ts'
import { Verdict } from '../../../src/schema/verdict.ts'
import { randomHex, transactionOf } from '../../storage/fixtures.ts'
import { startApp } from '../../support/app.ts'
import { fixedSources } from '../../support/fixed-sources.ts'
import { timeless, type VerdictVector, verdictVectors } from '../../support/verdict-vectors.ts'

type App = Awaited<ReturnType<typeof startApp>>
type Door = (app: App, key: string, request: object) => Promise<Verdict>

const DOORS: Readonly<Record<string, Door>> = {
  REST: (app, key, request) => app.verdictOn(key, request),
  MCP: overMcp,
}

for (const [name, door] of Object.entries(DOORS))
  describe(`golden verdicts over ${name}`, () => {
    for (const vector of verdictVectors())
      it(vector.name.replaceAll('-', ' '), async () => {
        const app = await startApp({ sources: fixedSources(vector.facts) })
        try {
          await decideThrough(app, vector, door)
        } finally {
          await app.close()
        }
      })
  })

/** Submits and waits, by the tools, as the official client calls them. */
async function overMcp(app: App, key: string, request: object): Promise<Verdict> {
  const client = new Client({ name: 'golden', version: '1' })
  const requestInit = { headers: { 'x-api-key': key } }
  await client.connect(new StreamableHTTPClientTransport(new URL(`${app.url}/mcp`), { requestInit }))
  try {
    const submitted = await client.callTool({ name: 'submit_action', arguments: { ...request } })
    assert.equal(submitted.isError ?? false, false, JSON.stringify(submitted.content))
    const { requestHash } = TransactionRecord.parse(submitted.structuredContent)
    const { structuredContent } = await client.callTool({
      name: 'await_verdict',
      arguments: { requestHash, timeoutSeconds: 1 },
    })
    return Verdict.parse((structuredContent as { verdict: unknown }).verdict)
  } finally {
    await client.close()
  }
}

async function decideThrough(app: App, vector: VerdictVector, door: Door): Promise<void> {
  const { wallet, proposedTx, policy, facts, expected } = vector
  const key = await app.keyOf(wallet, [proposedTx.chainId])
  if (policy) assert.equal((await app.admin('PUT', `/policies/${wallet}`, policy)).status, 200)
  await holdBefore(app, wallet, BigInt(known(facts.outflow24h)?.microUsd ?? 0))
  const request = { escrowAddress: wallet, prompt: vector.description, proposedTx, metadata: { vector: vector.name } }
  assert.deepEqual(timeless(await door(app, key, request)), expected)
}

/** What left the wallet before, as an earlier approval holds it. */
async function holdBefore(
  { storage }: Awaited<ReturnType<typeof startApp>>,
  wallet: Hex,
  microUsd: bigint,
): Promise<void> {
  if (microUsd === 0n) return
  const { agents, transactions, holds } = storage.stores
  const [agent] = (await agents.list({ limit: 1 })).items
  const requestHash = randomHex(32)
  const address = wallet as Lowercase<Hex>
  await transactions.insert(transactionOf(agent?.id ?? '', address, { requestHash }))
  await transactions.move(requestHash, ['PENDING'], 'APPROVED')
  await holds.take({ requestHash, wallet: address, microUsd, expiresAt: (await storage.now()) + 60_000 })
}

// Traces as a collector gets them, from a process that is started with its address.
import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { failedStart, startProduct, temporaryFolder } from '../support/product.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'
const API_KEY = 'an-agent-key-of-a-test-of-traces-that-is-long'
const TRACE = 'ab'.repeat(16)
const ABOVE = 'cd'.repeat(8)

type Attribute = Readonly<{ key: string; value: Readonly<{ stringValue?: string; intValue?: number | string }> }>
type Span = Readonly<{
  name: string
  traceId: string
  spanId: string
  parentSpanId?: string
  attributes: readonly Attribute[]
}>
type Export = Readonly<{
  resourceSpans: readonly Readonly<{ scopeSpans: readonly Readonly<{ spans: readonly Span[] }>[] }>[]
}>

/** A collector that takes what is sent to /v1/traces. */
async function startCollector() {
  const spans: Span[] = []
  const texts: string[] = []
  async function take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    assert.deepEqual([request.method, request.url], ['POST', '/v1/traces'])
    texts.push(text)
    for (const { scopeSpans } of (JSON.parse(text) as Export).resourceSpans)
      for (const scope of scopeSpans) spans.push(...scope.spans)
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  }
  const server = createServer((request, response) => void take(request, response))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    spans,
    texts,
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('traces', () => {
  it('follow a request from its caller to the stored decision, and name nothing that is secret', async () => {
    const collector = await startCollector()
    const folder = await temporaryFolder()
    try {
      const prices = {
        table: { asOf: new Date().toISOString(), maxAgeSeconds: 86_400, prices: { '1:native': '3000' } },
      }
      const file = { policy: {}, sources: { prices, sanctions: { maxAgeDays: 36_500 } } }
      await writeFile(join(folder.path, 'agents.config.json'), JSON.stringify(file))
      const env = { WALLET_ADDRESS: WALLET, SERVICE_API_KEY: API_KEY, OTEL_EXPORTER_OTLP_ENDPOINT: collector.url }
      const product = await startProduct({ cwd: folder.path, args: ['--role', 'service'], env })
      const proposedTx = { protocol: 'native', chainId: 1, to: WALLET, data: '0x', value: '1' }
      const answer = await fetch(`${product.url}/api/transactions`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          'x-api-key': API_KEY,
          'x-request-id': 'a-request-that-is-traced',
          traceparent: `00-${TRACE}-${ABOVE}-01`,
        },
        body: JSON.stringify({ escrowAddress: WALLET, prompt: 'A secret of nobody.', proposedTx }),
      })
      assert.equal(answer.status, 201)
      const { requestHash } = (await answer.json()) as { requestHash: string }
      while (!(await verdictOf(product.url, requestHash))) await new Promise((resolve) => setTimeout(resolve, 10))
      assert.deepEqual(await product.stop(), { code: 0, signal: null })

      const mine = collector.spans.filter(({ traceId }) => traceId === TRACE)
      const [http] = mine.filter(({ name }) => name === 'http')
      assert.equal(http?.parentSpanId, ABOVE)
      assert.deepEqual(attributesOf(http), {
        requestId: 'a-request-that-is-traced',
        method: 'POST',
        operation: 'submitTransaction',
        status: '201',
      })
      for (const name of ['decode', 'source', 'decide'])
        assert.ok(
          mine.some((span) => span.name === name && span.parentSpanId === http?.spanId),
          name,
        )
      const sources = mine.filter(({ name }) => name === 'source').map((span) => attributesOf(span)['source'])
      assert.ok(sources.length >= 1 && new Set(sources).size === sources.length, String(sources))
      assert.deepEqual(attributesOf(mine.find(({ name }) => name === 'decide')), { requestHash })
      const all = collector.texts.join('\n')
      for (const word of [API_KEY, WALLET, 'A secret']) assert.ok(!all.includes(word), word)
    } finally {
      await collector.stop()
      await folder.remove()
    }
  })

  it('to nobody: the process works and ends all the same', async () => {
    const folder = await temporaryFolder()
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:64998' }
    const product = await startProduct({ cwd: folder.path, env })
    assert.equal((await fetch(`${product.url}/health`)).status, 200)
    assert.deepEqual(await product.stop(), { code: 0, signal: null })
    const wrong = { OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4318' }
    assert.match(await failedStart({ cwd: folder.path, env: wrong }), /OTEL_EXPORTER_OTLP_ENDPOINT must be an http/)
    await folder.remove()
  })
})

async function verdictOf(url: string, requestHash: string): Promise<unknown> {
  const answer = await fetch(`${url}/api/transactions/${requestHash}/approval-status`, {
    headers: { 'x-api-key': API_KEY },
  })
  return ((await answer.json()) as { verdict: unknown }).verdict
}

function attributesOf(span: Span | undefined): Record<string, string> {
  return Object.fromEntries(
    (span?.attributes ?? []).map(({ key, value }) => [key, String(value.stringValue ?? value.intValue)]),
  )
}

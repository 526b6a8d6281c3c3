// The published conformance suite of MCP against the endpoint, and against the authorization server. It cannot send a
// key, so one is added on the way. Whatever is no success is named here, with the reason; everything else is a fault.
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { launchBrowser } from '../support/browser.ts'
import { startConformance } from '../support/conformance-suite.ts'
import { injectWallet } from '../support/injected-wallet.ts'
import { openKeyBearer } from '../support/key-bearer.ts'
import { fixtureHandlerOf } from '../support/mcp-fixtures.ts'
import { freePort, newWallet, startPublicServer } from '../support/person.ts'

/** Scenarios that a revision requires, and those that the suite runs beside them. */
const REVISIONS = { '2025-11-25': 33, '2026-07-28': 50 } as const

/** Of an extension that is neither offered nor required: its checks look for tools that run as tasks. */
const NOT_OFFERED = [
  'tasks-lifecycle',
  'tasks-capability-negotiation',
  'tasks-wire-fields',
  'tasks-request-state-removal',
  'tasks-mrtr-input',
  'tasks-request-headers',
  'tasks-dispatch-and-envelope',
  'tasks-status-notifications',
  'tasks-required-task-error',
  'tasks-mrtr-composition',
]

/** Recommendations that do not apply, and what the suite says of them. */
const NOT_APPLICABLE: Readonly<Record<string, string>> = {
  // A stream ends with its one answer: there is nothing to come back to.
  'server-sse-priming-event': 'WARNING',
  'server-sse-retry-field': 'WARNING',
  // Prompts and tools never change, and that is declared.
  'sep-2575-server-sends-prompts-list-changed-on-subscription': 'SKIPPED',
  'sep-2575-server-sends-tools-list-changed-on-subscription': 'SKIPPED',
}

/** What needs no tool of the suite's own. */
const BARE = [
  ['2025-11-25', 'server-initialize'],
  ['2025-11-25', 'ping'],
  ['2025-11-25', 'tools-list'],
  ['2025-11-25', 'dns-rebinding-protection'],
  ['2026-07-28', 'tools-list'],
  ['2026-07-28', 'prompts-list'],
  ['2026-07-28', 'resources-list'],
  ['2026-07-28', 'http-header-validation'],
  ['2026-07-28', 'sep-2164-resource-not-found'],
] as const

describe('the conformance suite of MCP', () => {
  for (const [revision, count] of Object.entries(REVISIONS))
    it(`finds nothing wrong in any server scenario of ${revision}`, async (t) => {
      const running = await startPublicServer({ programs: { mcpHandlerOf: fixtureHandlerOf } })
      const bearer = await openKeyBearer(running.port, running.agentKey)
      try {
        const url = `http://localhost:${bearer.port}/api/mcp`
        const suite = await startConformance('server', ['--url', url, '--requirements', revision])
        const { code, printed, scenarios } = await suite.findings()
        assert.equal(code, 0, printed)
        assert.equal(scenarios.size, count)
        for (const [scenario, checks] of scenarios) {
          if (NOT_OFFERED.includes(scenario)) continue
          t.diagnostic(`${scenario}: ${checks.length}`)
          assert.ok(checks.length > 0, scenario)
          for (const { id, status, errorMessage } of checks)
            if (NOT_APPLICABLE[id]) assert.equal(status, NOT_APPLICABLE[id], id)
            else assert.match(status, /^(SUCCESS|INFO)$/, `${scenario} ${id}: ${errorMessage}`)
        }
        assert.ok(bearer.passed() >= scenarios.size)
      } finally {
        bearer.close()
        await running.close()
      }
    })

  it('finds nothing wrong in the endpoint as it is, without sessions', async () => {
    const running = await startPublicServer()
    const bearer = await openKeyBearer(running.port, running.agentKey)
    try {
      for (const [revision, scenario] of BARE) {
        const url = `http://localhost:${bearer.port}/api/mcp`
        const suite = await startConformance('server', [
          '--url',
          url,
          '--scenario',
          scenario,
          '--spec-version',
          revision,
        ])
        const { code, printed, scenarios } = await suite.findings()
        assert.equal(code, 0, printed)
        for (const { id, status } of scenarios.get(scenario) ?? assert.fail(printed))
          assert.match(status, /^(SUCCESS|INFO)$/, id)
      }
      assert.ok(bearer.passed() >= BARE.length)
    } finally {
      bearer.close()
      await running.close()
    }
  })

  it('finds nothing wrong in the authorization server, where a person signs in the browser', async () => {
    const running = await startPublicServer()
    const browser = await launchBrowser()
    try {
      const port = await freePort()
      const registered = await fetch(`${running.publicUrl}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ client_name: 'Conformance', redirect_uris: [`http://127.0.0.1:${port}/callback`] }),
      })
      const { client_id: clientId } = (await registered.json()) as { client_id: string }
      const wanted = ['--client-id', clientId, '--resource', `${running.publicUrl}/mcp`, '--port', String(port)]
      const suite = await startConformance('authorization', ['--url', running.publicUrl, ...wanted])
      const address = await suite.says(/^(http:\S+\/oauth\/authorize\?\S+)\s/m)
      const page = await browser.newPage()
      await injectWallet(page, newWallet())
      await page.goto(address)
      await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
      await page.getByText('OK. You can close this page.').waitFor()
      const { code, printed, scenarios } = await suite.findings()
      assert.equal(code, 0, printed)
      assert.deepEqual([...scenarios.keys()].sort(), [
        'authorization-code-grant',
        'authorization-server-metadata-endpoint',
      ])
      for (const [scenario, checks] of scenarios)
        for (const { id, status, errorMessage } of checks)
          assert.equal(status, 'SUCCESS', `${scenario} ${id}: ${errorMessage}`)
    } finally {
      await browser.close()
      await running.close()
    }
  })
})

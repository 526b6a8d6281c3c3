// The code flow and the pages, in a headless Chromium with a wallet inside. Pictures are kept in test-artifacts/pages.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../support/browser.ts'
import { injectWallet } from '../support/injected-wallet.ts'
import { newWallet, startPublicServer, type TestWallet } from '../support/person.ts'

const PICTURES = 'test-artifacts/pages'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1100, height: 820 }

let running: Awaited<ReturnType<typeof startPublicServer>>
let browser: Browser
before(async () => {
  mkdirSync(PICTURES, { recursive: true })
  running = await startPublicServer()
  browser = await launchBrowser()
})
after(async () => {
  await browser.close()
  await running.close()
})

type Looks = Readonly<{ scheme?: 'light' | 'dark'; viewport?: typeof PHONE; wallet?: TestWallet; declines?: boolean }>

/** A page of its own, on which every complaint of the browser is a fault. */
async function open(address: string, { scheme = 'light', viewport = DESKTOP, wallet, declines = false }: Looks = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    const { protocol, host } = new URL(request.url())
    if (protocol !== 'data:' && host !== new URL(running.publicUrl).host) complaints.push(`It fetched ${request.url()}`)
  })
  if (wallet) await injectWallet(page, wallet, { declines })
  await page.goto(address)
  return {
    page,
    async close() {
      assert.deepEqual(complaints, [])
      await context.close()
    },
  }
}

/** What axe finds, by rule. Run from outside of the page's own scripts. */
async function findings(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  const { executionContextId } = await isolatedWorld(session)
  await session.send('Runtime.evaluate', { expression: AXE, contextId: executionContextId })
  const { result } = await session.send('Runtime.evaluate', {
    expression:
      'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + " " + nodes[0].html)))',
    contextId: executionContextId,
    awaitPromise: true,
  })
  return JSON.parse(String(result.value)) as string[]
}

async function isolatedWorld(session: Awaited<ReturnType<ReturnType<Page['context']>['newCDPSession']>>) {
  const { frameTree } = await session.send('Page.getFrameTree')
  return session.send('Page.createIsolatedWorld', { frameId: frameTree.frame.id })
}

async function ask(method: string, path: string, body?: object) {
  const init = body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }
  const response = await fetch(running.publicUrl + path, { method, ...init })
  return { status: response.status, body: (await response.json()) as Record<string, string> }
}

async function initiate(body: object = { clientName: 'Momentum bot' }) {
  const { status, body: started } = await ask('POST', '/auth/connect/initiate', body)
  assert.equal(status, 200)
  const { code = '', authUrl = '' } = started
  assert.match(code, /^[0-9a-f]{32}$/)
  assert.equal(authUrl.includes(code), false)
  return { code, authUrl, poll: () => ask('GET', `/auth/connect/status?code=${code}`) }
}

describe('the code flow', () => {
  it('gives a key to one of 100 polls at once, after a person signed in the browser', async () => {
    const wallet = newWallet()
    const { authUrl, poll } = await initiate()
    assert.deepEqual((await poll()).body, { status: 'pending' })
    const { page, close } = await open(authUrl, { wallet })
    await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    const polls = await Promise.all(Array.from({ length: 100 }, poll))
    const ready = polls.filter(({ status }) => status === 200)
    assert.deepEqual([ready.length, polls.filter(({ status }) => status === 410).length], [1, 99])
    assert.equal(ready[0]?.body['status'], 'ready')
    assert.equal(ready[0]?.body['walletAddress'], wallet.address.toLowerCase())
    const headers = { 'x-api-key': ready[0]?.body['apiKey'] ?? '' }
    assert.equal((await fetch(`${running.publicUrl}/auth/me`, { headers })).status, 200)
    await page.reload()
    await page.getByRole('heading', { name: 'Nothing to approve' }).waitFor()
    await close()
  })

  it('takes a signature that was made somewhere else', async () => {
    const wallet = newWallet()
    const { authUrl, poll } = await initiate()
    const { page, close } = await open(authUrl, { viewport: PHONE })
    await page.getByLabel('Wallet address').fill(wallet.address)
    await page.getByLabel('Network of the wallet').selectOption('8453')
    await page.getByRole('button', { name: 'Get the message' }).click()
    await page.getByRole('button', { name: 'Copy the message' }).click()
    const message = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(message, /Chain ID: 8453/)
    await page.getByText(wallet.address.toLowerCase()).waitFor()
    assert.deepEqual(await findings(page), [])
    await page.screenshot({ path: `${PICTURES}/paste-light-phone.png`, fullPage: true })
    await page.getByLabel('Signature').fill('0x1234')
    await page.getByRole('button', { name: 'Send the signature' }).click()
    await page.getByRole('alert').filter({ hasText: 'refused' }).waitFor()
    await page.getByLabel('Signature').fill(await wallet.signMessage({ message }))
    await page.getByRole('button', { name: 'Send the signature' }).click()
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    assert.equal((await poll()).body['walletAddress'], wallet.address.toLowerCase())
    await close()
  })

  it('is worked by the keyboard alone', async () => {
    const { authUrl, poll } = await initiate()
    const { page, close } = await open(authUrl, { wallet: newWallet() })
    await page.getByRole('button', { name: 'Sign with Test Wallet' }).waitFor()
    for (let i = 0; i < 12; i++) {
      await page.keyboard.press('Tab')
      if ((await page.locator(':focus').textContent())?.includes('Test Wallet')) break
    }
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Connected' }).waitFor()
    assert.equal((await poll()).body['status'], 'ready')
    await close()
  })

  it('says when the wallet declined, and lets the person decline', async () => {
    const { authUrl, poll } = await initiate()
    const { page, close } = await open(authUrl, { wallet: newWallet(), declines: true })
    await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
    await page.getByRole('alert').filter({ hasText: 'You declined in your wallet' }).waitFor()
    assert.match(await page.locator('#facts').innerText(), /For\s+0x[0-9a-f]{40}/)
    assert.deepEqual((await poll()).body, { status: 'pending' })
    await page.getByRole('button', { name: 'Decline', exact: true }).click()
    await page.getByRole('heading', { name: 'Declined' }).waitFor()
    assert.equal((await poll()).status, 410)
    await close()
  })

  it('shows the name of the program as text, whatever it is', async () => {
    const clientName = `<img src=x onerror="document.title='owned'">`
    const { authUrl } = await initiate({ clientName })
    const { page, close } = await open(authUrl)
    await page.getByText(clientName).waitFor()
    assert.match(await page.title(), /countersign/)
    await close()
  })

  it('knows no other code, and none that is none', async () => {
    assert.equal((await ask('GET', `/auth/connect/status?code=${'0'.repeat(32)}`)).status, 404)
    for (const code of ['', 'x', '0'.repeat(31), 'Z'.repeat(32)])
      assert.equal((await ask('GET', `/auth/connect/status?code=${code}`)).status, 400)
  })
})

const LOOKS = {
  'light-desktop': { scheme: 'light', viewport: DESKTOP },
  'dark-phone': { scheme: 'dark', viewport: PHONE },
} as const

describe('the sign-in page', () => {
  for (const [name, looks] of Object.entries(LOOKS))
    it(`signs in, makes a key that is shown once, and takes it away again, ${name}`, async () => {
      const { page, close } = await open(`${running.publicUrl}/auth/sign-in`, { wallet: newWallet(), ...looks })
      await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
      await page.getByLabel('Name').fill('Night shift')
      await page.getByLabel('Change the policy').check()
      await page.getByRole('button', { name: 'Make a key' }).click()
      const key = page.getByLabel('Your key. It is shown this once.')
      await key.waitFor()
      const headers = { 'x-api-key': await key.inputValue() }
      const me = await fetch(`${running.publicUrl}/auth/me`, { headers })
      assert.ok(((await me.json()) as { scopes: string[] }).scopes.includes('policies:write:own'))
      assert.deepEqual(await findings(page), [])
      await page.screenshot({ path: `${PICTURES}/keys-${name}.png`, fullPage: true })
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `It is ${overflow} px too wide.`)
      await page.getByRole('button', { name: 'Revoke Night shift' }).click()
      await page.getByText('You have none yet.').waitFor()
      assert.equal((await fetch(`${running.publicUrl}/auth/me`, { headers })).status, 401)
      await page.getByRole('button', { name: 'Sign out' }).click()
      await page.getByRole('heading', { name: 'Signed out' }).waitFor()
      await close()
    })
})

describe('each page', () => {
  const consentUrl = async () => {
    const { body: client } = await ask('POST', '/oauth/register', {
      client_name: 'Desk assistant',
      redirect_uris: ['http://127.0.0.1:49152/callback'],
    })
    const url = new URL(`${running.publicUrl}/oauth/authorize`)
    for (const [name, value] of Object.entries({
      client_id: client['client_id'] ?? '',
      redirect_uri: 'http://127.0.0.1:49152/callback',
      response_type: 'code',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    }))
      url.searchParams.set(name, value)
    return url.href
  }
  const PAGES = {
    'sign-in': async () => `${running.publicUrl}/auth/sign-in`,
    connect: async () =>
      (await initiate({ clientName: 'Momentum bot', scopes: ['verdicts:create:own', 'policies:write:own'] })).authUrl,
    consent: consentUrl,
    gone: async () => `${running.publicUrl}/auth/connect?request=${'0'.repeat(32)}`,
  } as const

  for (const [name, addressOf] of Object.entries(PAGES))
    for (const scheme of ['light', 'dark'] as const)
      for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE }))
        it(`${name} is accessible and fits, ${scheme}, ${size}`, async () => {
          const looks = { scheme, viewport, ...(size === 'desktop' && { wallet: newWallet() }) }
          const { page, close } = await open(await addressOf(), looks)
          await page.locator('#lead:not(:text("Loading…"))').waitFor()
          if (name !== 'gone')
            await page
              .locator(size === 'desktop' ? '#wallets button' : '#address')
              .first()
              .waitFor()
          else assert.equal(await page.getByRole('alert').count(), 0)
          await page.screenshot({ path: `${PICTURES}/${name}-${scheme}-${size}.png`, fullPage: true })
          assert.deepEqual(await findings(page), [])
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
          assert.ok(overflow <= 0, `It is ${overflow} px too wide.`)
          await close()
        })

  it('is served with a policy that lets nothing in from outside', async () => {
    const response = await fetch(`${running.publicUrl}/auth/sign-in`)
    const policy = response.headers.get('content-security-policy') ?? ''
    for (const part of ["default-src 'none'", "script-src 'self'", "frame-ancestors 'none'", "form-action 'none'"])
      assert.ok(policy.includes(part), part)
    assert.doesNotMatch(policy, /unsafe|\*/)
    assert.doesNotMatch(await response.text(), /<script(?! type="module" src="\.\.\/pages\/)|\sstyle=|\son\w+=|https?:/)
  })
})

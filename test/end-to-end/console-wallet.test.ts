// The console, opened with an owner's wallet in a headless Chromium. Pictures are kept in test-artifacts/console.
import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { createWebChannel } from '../../src/harness/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { launchBrowser } from '../support/browser.ts'
import { injectWallet } from '../support/injected-wallet.ts'
import { newWallet, startPublicServer, type TestWallet } from '../support/person.ts'

const TOKEN = 'a-console-token-of-more-than-32-characters'
const PICTURES = 'test-artifacts/console'
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')
const PHONE = { width: 360, height: 740 }
const DESKTOP = { width: 1100, height: 820 }
const owner = newWallet()

const chat = createWebChannel()
await chat.start(async ({ conversation, text, sender }) => {
  chat.tell(conversation, { type: 'text', text: `You are ${sender} and said: ${text}` })
  chat.tell(conversation, { type: 'end' })
})

let running: Awaited<ReturnType<typeof startPublicServer>>
let browser: Browser
let origin: string
before(async () => {
  mkdirSync(PICTURES, { recursive: true })
  running = await startPublicServer({ console: { chat, token: TOKEN, owners: () => [toAddress(owner.address)] } })
  origin = new URL(running.publicUrl).origin
  browser = await launchBrowser()
})
after(async () => {
  await browser.close()
  await running.close()
})

type Looks = Readonly<{ scheme?: 'light' | 'dark'; viewport?: typeof PHONE; wallet?: TestWallet }>

/** The console in a browser of its own, on which every complaint of the browser is a fault. */
async function open(path: string, { scheme = 'light', viewport = DESKTOP, wallet }: Looks = {}) {
  const context = await browser.newContext({ colorScheme: scheme, viewport })
  await context.grantPermissions(['clipboard-read', 'clipboard-write'])
  const page = await context.newPage()
  page.setDefaultTimeout(10_000)
  const complaints: string[] = []
  page.on('console', (message) => {
    if (message.type() === 'error' && !/status of 4\d\d/.test(message.text())) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  if (wallet) await injectWallet(page, wallet)
  await page.goto(path.startsWith('http') ? path : origin + path)
  return {
    page,
    context,
    async close() {
      assert.deepEqual(complaints, [])
      await context.close()
    },
  }
}

/** What axe finds, by rule. Run from outside of the page's own scripts. */
async function findings(page: Page): Promise<readonly string[]> {
  const session = await page.context().newCDPSession(page)
  const { frameTree } = await session.send('Page.getFrameTree')
  const { executionContextId: contextId } = await session.send('Page.createIsolatedWorld', {
    frameId: frameTree.frame.id,
  })
  await session.send('Runtime.evaluate', { expression: AXE, contextId })
  const expression =
    'axe.run().then(({ violations }) => JSON.stringify(violations.map(({ id, nodes }) => id + " " + nodes[0].html)))'
  const { result } = await session.send('Runtime.evaluate', { expression, contextId, awaitPromise: true })
  return JSON.parse(String(result.value)) as string[]
}

describe('the console', () => {
  it('is opened by an owner’s wallet, stays open over a reload, and is closed again', async () => {
    const { page, context, close } = await open('/console/chat', { wallet: owner })
    await page.getByRole('link', { name: 'sign in with your wallet' }).click()
    await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
    await page.getByLabel('Message', { exact: true }).fill('hello')
    await page.keyboard.press('Enter')
    await page.getByText(`You are ${owner.address.toLowerCase()} and said: hello`).waitFor()
    const [cookie] = await context.cookies()
    assert.deepEqual([cookie?.httpOnly, cookie?.sameSite, cookie?.path], [true, 'Strict', '/console'])
    assert.equal(await page.evaluate('document.cookie'), '')
    for (const [size, viewport] of Object.entries({ phone: PHONE, desktop: DESKTOP })) {
      await page.setViewportSize(viewport)
      await page.screenshot({ path: `${PICTURES}/wallet-open-${size}.png` })
      assert.deepEqual(await findings(page), [])
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      assert.ok(overflow <= 0, `It is ${overflow} px too wide.`)
    }

    await page.reload()
    await page.getByText('Connected').waitFor()
    await page.getByText('and said: hello').waitFor()
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.getByRole('heading', { name: 'Open the console' }).waitFor()
    assert.equal(await page.getByText('and said: hello').isVisible(), false)
    await page.reload()
    await page.getByRole('heading', { name: 'Open the console' }).waitFor()
    await close()
  })

  it('takes a signature that was made somewhere else, also from whoever came by another name of this machine', async () => {
    const { page, close } = await open(`http://127.0.0.1:${running.port}/console/sign-in`)
    assert.equal(page.url(), `${origin}/console/sign-in`)
    await page.getByLabel('Wallet address').fill(owner.address)
    await page.getByRole('button', { name: 'Get the message' }).click()
    await page.getByRole('button', { name: 'Copy the message' }).click()
    const message = await page.evaluate<string>('navigator.clipboard.readText()')
    assert.match(message, /Open the console of this harness, and command its agents\./)
    await page.getByLabel('Signature').fill(await owner.signMessage({ message }))
    await page.getByRole('button', { name: 'Send the signature' }).click()
    await page.getByText('Connected').waitFor()
    await close()
  })

  it('is not opened by another wallet, and says so', async () => {
    const { page, close } = await open('/console/sign-in', { wallet: newWallet() })
    await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
    await page.getByRole('alert').filter({ hasText: 'This wallet does not open the console' }).waitFor()
    await page.goto(`${origin}/console/chat`)
    await page.getByRole('heading', { name: 'Open the console' }).waitFor()
    await close()
  })

  it('says when a session has ended while the page was open', async () => {
    const { page, context, close } = await open('/console/sign-in', { wallet: owner })
    await page.getByRole('button', { name: 'Sign with Test Wallet' }).click()
    await page.getByText('Connected').waitFor()
    await context.clearCookies()
    await page.getByLabel('Message', { exact: true }).fill('still there?')
    await page.keyboard.press('Enter')
    await page.getByText('Your session has ended.').waitFor()
    await close()
  })

  for (const [name, path] of [
    ['wallet-offered', '/console/chat'],
    ['wallet-sign-in', '/console/sign-in'],
  ] as const)
    for (const scheme of ['light', 'dark'] as const)
      for (const [size, viewport] of Object.entries({ desktop: DESKTOP, phone: PHONE }))
        it(`${name} is accessible and fits, ${scheme}, ${size}`, async () => {
          const { page, close } = await open(path, { scheme, viewport, wallet: owner })
          const shown = path === '/console/chat' ? page.locator('#by-wallet') : page.locator('#wallets button')
          await shown.waitFor()
          await page.screenshot({ path: `${PICTURES}/${name}-${scheme}-${size}.png`, fullPage: true })
          assert.deepEqual(await findings(page), [])
          const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
          assert.ok(overflow <= 0, `It is ${overflow} px too wide.`)
          await close()
        })
})

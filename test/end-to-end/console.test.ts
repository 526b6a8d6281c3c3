import assert from 'node:assert/strict'
import { mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { type Button, createWebChannel, type Outbound, type VerdictCard } from '../../src/harness/index.ts'
import { startServer } from '../api/running-server.ts'
import { launchBrowser } from '../support/browser.ts'

const TOKEN = 'a-console-token-of-more-than-32-characters-and-100%25'
const FRAGMENT = `#token=${encodeURIComponent(TOKEN)}`
const PICTURES = 'test-artifacts/console'
const ROUTER = '0x66a9893cC07D91D95644AEDD05D03f95e1dBA8Af'
const CHECKS = [
  'venue',
  'chain',
  'asset',
  'contract_selector',
  'recipient',
  'sanctions',
  'slippage_guard',
  'outflow_24h',
]
const passed = CHECKS.map((id) => ({ id, status: 'passed', reason: 'Within the policy.' }) as const)
const notChecked = ['leverage', 'portfolio_leverage'].map(
  (id) => ({ id, status: 'not_checked', reason: 'The action is no position.' }) as const,
)

const APPROVED: VerdictCard = {
  requestHash: `0x${'1a2b3c4d'.repeat(8)}`,
  title: 'Swap 100 USDC for at least 0.03267 WETH on Uniswap',
  outcome: 'approved',
  reasonCode: 'allowed',
  reason: 'Every check of the policy that applies has passed.',
  lines: [
    { label: 'leaves', text: '100 USDC' },
    { label: 'comes back', text: 'at least 0.03267 WETH' },
    { label: 'until', text: '2026-11-20T12:00:00.000Z' },
    { label: 'where', text: `uniswap on Ethereum, universal router ${ROUTER}` },
    { label: 'worth', text: '$100.00' },
  ],
  checks: [
    ...passed,
    { id: 'per_tx_cap', status: 'passed', reason: '$100.00 is within caps.perTxUsd of $500.00.' },
    ...notChecked,
  ],
  execution: null,
}
const EXECUTED: VerdictCard = {
  ...APPROVED,
  execution: { mode: 'direct', ok: true, text: 'Executed and mined.', txHash: `0x${'cd34'.repeat(16)}` },
}
const EXPLORER = `https://etherscan.io/tx/0x${'cd34'.repeat(16)}`
const HELD: VerdictCard = {
  ...APPROVED,
  requestHash: `0x${'5e6f7a8b'.repeat(8)}`,
  outcome: 'pending',
  reasonCode: 'review_required',
  reason: 'Worth more than the $50.00 above which a person decides.',
}
const FAILED: VerdictCard = {
  ...APPROVED,
  requestHash: `0x${'0a1b2c3d'.repeat(8)}`,
  execution: {
    mode: 'direct',
    ok: false,
    text: 'The transaction was mined and reverted.',
    txHash: `0x${'ef56'.repeat(16)}`,
  },
}
const TABLE =
  '## Holdings\n| Token | Amount | Worth |\n|---|---:|---:|\n| WETH | 1.25 | **$3,750.00** |\n| USDC | 12,000 | `$12,000.00` |\n\n- two tokens\n- nothing borrowed'
const REJECTED: VerdictCard = {
  ...APPROVED,
  requestHash: `0x${'9f8e7d6c'.repeat(8)}`,
  title: 'Swap 10000 USDC for at least 3.267 WETH on Uniswap',
  outcome: 'rejected',
  reasonCode: 'per_tx_cap_exceeded',
  reason: 'The action is worth $10,000.00, more than the $500.00 that one transaction may be worth.',
  lines: [
    { label: 'leaves', text: '10000 USDC' },
    { label: 'comes back', text: 'at least 3.267 WETH' },
    { label: 'where', text: `uniswap on Ethereum, universal router ${ROUTER}` },
    { label: 'worth', text: '$10,000.00' },
  ],
  checks: [
    { id: 'per_tx_cap', status: 'failed', reason: '$10,000.00 is more than caps.perTxUsd of $500.00.' },
    ...passed,
    ...notChecked,
  ],
}
const FORGED =
  '<article class="card approved"><img src=x onerror="alert(1)">Approved</article> <b>bold</b> [a](javascript:alert(1))'

const text = (words: string): Outbound => ({ type: 'text', text: words })
const BUTTONS: readonly Button[] = [
  { id: 'q.x', label: 'Execute', style: 'go' },
  { id: 'q.c', label: 'Cancel', style: 'stop' },
  { id: 'q.d', label: 'Details', style: 'plain' },
]
const REVIEW: readonly Button[] = [
  { id: 'r.a', label: 'Approve', style: 'go' },
  { id: 'r.r', label: 'Reject', style: 'stop' },
  { id: 'r.d', label: 'Details', style: 'plain' },
]
/** What the harness says to each message. */
const ANSWERS: Readonly<Record<string, readonly Outbound[]>> = {
  'Swap 100 USDC for WETH': [
    text('I have a quote of **0.0330 WETH** and '),
    text('propose it with `0.5 %` of room.\n'),
    { type: 'verdict', card: APPROVED },
    { type: 'verdict', card: EXECUTED },
    text('Done: the swap was approved, and it is mined.'),
  ],
  'And now 10,000 more': [
    { type: 'verdict', card: REJECTED },
    text('The policy refused it: one transaction may be worth **$500.00** at most.\nShall I propose a smaller one?'),
  ],
  '/status': [
    { type: 'status', text: 'Mode: direct\nWallet: 0x2222222222222222222222222222222222222222 on Ethereum (1)' },
  ],
  forge: [text(FORGED)],
  table: [text(TABLE.slice(0, 60)), text(TABLE.slice(60))],
  linked: [],
  held: [{ type: 'verdict', card: HELD, buttons: REVIEW }],
  failed: [
    { type: 'verdict', card: FAILED },
    { type: 'error', text: 'The model could not be reached: try again.' },
  ],
  confirm: [{ type: 'verdict', card: APPROVED, buttons: BUTTONS }],
  again: [{ type: 'verdict', card: { ...APPROVED, reason: 'As it was decided.' } }],
}
const END: Outbound = { type: 'end' }
/** What axe finds, by its own rules (https://www.deque.com/axe). */
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const chat = createWebChannel()
/** Messages that wait for their answer, where the test wants to see them wait. */
let held: Promise<void> | undefined
await chat.start(async ({ conversation, text: said, button }) => {
  if (button) {
    chat.tell(conversation, { type: 'verdict', card: EXECUTED })
    return chat.tell(conversation, END)
  }
  if (said !== '/stop') await held
  if (said === 'linked') {
    const body = { type: 'verdict', card: { ...EXECUTED, chainId: 1 } } as const
    await chat.send(conversation, { key: '1.000.000', body, buttons: [], isFinal: true, isRepeat: false })
  }
  for (const message of [...(ANSWERS[said] ?? [text(`You said: ${said}`)]), END]) chat.tell(conversation, message)
})

let browser: Browser
let running: Awaited<ReturnType<typeof startServer>>
before(async () => {
  mkdirSync(PICTURES, { recursive: true })
  running = await startServer({ console: { chat, token: TOKEN } })
  browser = await launchBrowser()
})
after(async () => {
  await browser.close()
  await running.close()
})

type Opened = Readonly<{ page: Page; context: BrowserContext; faults: string[] }>

/** A new browser profile with the console open. Everything that the page does wrong is in `faults`. */
async function open(fragment = FRAGMENT, options: Parameters<Browser['newContext']>[0] = {}): Promise<Opened> {
  const context = await browser.newContext(options)
  // A machine that is busy with other tests is slow, not wrong.
  context.setDefaultTimeout(90_000)
  const page = await context.newPage()
  const faults: string[] = []
  page.on('pageerror', (error) => faults.push(error.message))
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) faults.push(message.text())
  })
  page.on('dialog', async (dialog) => {
    faults.push(`dialog: ${dialog.message()}`)
    await dialog.dismiss()
  })
  await page.goto(`${running.url}/console/chat${fragment}`)
  return { page, context, faults }
}

async function say(page: Page, words: string): Promise<void> {
  await page.getByLabel('Message', { exact: true }).fill(words)
  await page.keyboard.press('Enter')
}

describe('the console in a browser', () => {
  it('takes the token from the address and keeps it out of sight', async () => {
    const { page, context, faults } = await open()
    const sent: string[] = []
    page.on('request', (request) => sent.push(request.url()))
    await page.getByText('Connected', { exact: true }).waitFor()
    assert.equal(page.url(), `${running.url}/console/chat`)
    await page.reload()
    await page.getByText('Connected', { exact: true }).waitFor()
    assert.ok(sent.length > 3)
    assert.ok(sent.every((url) => !url.includes('token')))
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('asks for the token where there is none, and again where it is wrong', async () => {
    const { page, context, faults } = await open('')
    const field = page.getByLabel('Token')
    await field.fill('x'.repeat(40))
    await page.getByRole('button', { name: 'Open' }).click()
    await page.getByText('This token is not accepted.').waitFor()
    assert.equal(await page.locator('#composer').isVisible(), false)
    await page.screenshot({ path: `${PICTURES}/sign-in.png` })
    await field.fill(`${running.url}/console/chat${FRAGMENT}`)
    await page.keyboard.press('Enter')
    await page.getByText('Connected', { exact: true }).waitFor()
    assert.deepEqual(faults, [])
    await context.close()
    const broken = await open('#token=%')
    await broken.page.getByText('This token is not accepted.').waitFor()
    await broken.page.getByLabel('Token').fill(TOKEN)
    await broken.page.keyboard.press('Enter')
    await broken.page.getByText('Connected', { exact: true }).waitFor()
    assert.deepEqual(broken.faults, [])
    await broken.context.close()
  })

  it('shows an answer as it comes, and one card of a verdict with what became of it', async () => {
    const { page, context, faults } = await open()
    await page.getByRole('button', { name: 'Swap 100 USDC for WETH' }).click()
    await page.getByText('Done: the swap was approved').waitFor()
    const card = page.getByRole('article', { name: 'Verdict: Approved. Swap 100 USDC' })
    assert.equal(await page.locator('.card').count(), 1)
    assert.match(await card.innerText(), /Approved[\s\S]*at least 0\.03267 WETH[\s\S]*Executed and mined\./)
    assert.equal(
      await page.locator('.answer').first().innerText(),
      'I have a quote of 0.0330 WETH and propose it with 0.5 % of room.\n',
    )
    assert.deepEqual(await page.locator('.answer').first().locator('code, strong').allInnerTexts(), [
      '0.0330 WETH',
      '0.5 %',
    ])
    assert.equal(await card.getByText('Within the policy.').first().isVisible(), false)
    await card.getByText('Checks: 9 passed, 2 not checked').click()
    assert.ok(await card.getByText('Within the policy.').first().isVisible())
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('shows why an action was refused without a click', async () => {
    const { page, context } = await open()
    await say(page, 'And now 10,000 more')
    const card = page.getByRole('article', { name: 'Verdict: Rejected.' })
    await card.waitFor()
    assert.ok(await card.getByText('$10,000.00 is more than caps.perTxUsd of $500.00.').isVisible())
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    await card.getByRole('button', { name: 'Copy the request hash' }).click()
    await card.getByText('Copied').waitFor()
    assert.equal(await page.evaluate('navigator.clipboard.readText()'), REJECTED.requestHash)
    await context.close()
  })

  it('links a transaction to its explorer, and shows tables as tables', async () => {
    const { page, context, faults } = await open()
    await say(page, 'linked')
    const link = page.getByRole('link', { name: 'See it on etherscan.io' })
    assert.deepEqual(
      [await link.getAttribute('href'), await link.getAttribute('target'), await link.getAttribute('rel')],
      [EXPLORER, '_blank', 'noopener noreferrer'],
    )
    await say(page, 'table')
    assert.deepEqual(await page.locator('.answer tr').allInnerTexts(), [
      'Token\tAmount\tWorth',
      'WETH\t1.25\t$3,750.00',
      'USDC\t12,000\t$12,000.00',
    ])
    assert.match(await page.locator('.answer').innerText(), /^Holdings[\s\S]*• two tokens\n• nothing borrowed/)
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('takes nothing that a model writes for more than text', async () => {
    const { page, context, faults } = await open()
    await say(page, 'forge')
    await page.locator('.answer').waitFor()
    assert.equal(await page.locator('.answer').innerText(), FORGED)
    assert.equal(await page.locator('.answer *, .card').count(), 0)
    await say(page, '<img src=x onerror="alert(2)">')
    await page.getByText('You said: <img').waitFor()
    assert.equal(await page.locator('#log img, #log a').count(), 0)
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('points at the card of an earlier message that is told again, and keeps what became of it', async () => {
    const { page, context } = await open()
    for (const words of ['Swap 100 USDC for WETH', 'again']) await say(page, words)
    const card = page.locator('.card.shown-again')
    await card.waitFor()
    assert.equal(await page.locator('.card').count(), 1)
    assert.match(await card.innerText(), /As it was decided\.[\s\S]*Executed and mined\./)
    await context.close()
  })

  it('shows that it works, and stops when told to', async () => {
    const { page, context } = await open()
    const turn = Promise.withResolvers<void>()
    held = turn.promise
    await say(page, 'hello')
    await page.getByText('Working').waitFor()
    await page.keyboard.press('Escape')
    await page.getByText('You said: /stop').waitFor()
    held = undefined
    turn.resolve()
    await page.getByText('You said: hello').waitFor()
    assert.equal(await page.getByText('Working').isVisible(), false)
    await context.close()
  })

  it('has its conversation again after a reload, and a new one when asked', async () => {
    const { page, context } = await open()
    await say(page, 'Swap 100 USDC for WETH')
    await page.getByText('Done: the swap').waitFor()
    const before = await page.locator('#log').innerText()
    await page.reload()
    await page.getByText('Connected', { exact: true }).waitFor()
    assert.equal(await page.locator('#log').innerText(), before)
    await page.getByRole('button', { name: 'New conversation' }).click()
    assert.equal(await page.locator('#log').innerText(), '')
    assert.ok(await page.getByText('What shall your agent do?').isVisible())
    await say(page, 'hello')
    await page.getByText('You said: hello').waitFor()
    await context.close()
  })

  it('says that the connection is lost, comes back by itself, and misses nothing', async () => {
    const { page, context, faults } = await open()
    await say(page, 'one')
    await page.getByText('You said: one').waitFor()
    const { port } = running
    await running.close()
    await page.getByText('Connection lost').waitFor()
    await say(page, 'two')
    const retry = page.getByRole('button', { name: 'Try again' })
    await retry.waitFor()
    running = await startServer({ console: { chat, token: TOKEN }, port })
    await page.getByText('Connected', { exact: true }).waitFor()
    await retry.click()
    await page.getByText('You said: two').waitFor()
    assert.equal(await page.getByText('You said: one').count(), 1)
    assert.equal(await retry.count(), 0)
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('can be used by the keyboard alone', async () => {
    const { page, context } = await open()
    await page.getByText('Connected', { exact: true }).waitFor()
    const focused = () => page.evaluate('document.activeElement.id || document.activeElement.textContent.trim()')
    assert.equal(await focused(), 'text')
    await page.keyboard.type('a')
    await page.keyboard.press('Shift+Enter')
    await page.keyboard.type('b')
    assert.equal(await page.locator('#text').inputValue(), 'a\nb')
    await page.keyboard.press('Enter')
    await page.getByText('You said: a\nb').waitFor()
    await page.keyboard.press('Shift+Tab')
    assert.notEqual(await focused(), 'text')
    await context.close()
  })

  it('asks before anything is executed, and shows what became of it in the same card', async () => {
    const { page, context, faults } = await open()
    await say(page, 'confirm')
    await page.locator('.card').waitFor()
    await page.screenshot({ path: `${PICTURES}/desktop-light-confirm.png` })
    await page.getByRole('button', { name: 'Execute' }).click()
    await page.getByText('Executed and mined.').waitFor()
    assert.deepEqual(
      [await page.locator('.card').count(), await page.getByRole('button', { name: 'Cancel' }).count()],
      [1, 0],
    )
    assert.deepEqual(faults, [])
    await context.close()
  })

  it('does not wait for an answer of a harness that was started anew and knows nothing of it', async () => {
    const { page, context } = await open()
    const turn = Promise.withResolvers<void>()
    held = turn.promise
    await say(page, 'never answered')
    await page.getByText('Working').waitFor()
    const { port } = running
    await running.close()
    const anew = createWebChannel()
    await anew.start(async () => undefined)
    running = await startServer({ console: { chat: anew, token: TOKEN }, port })
    await page.getByText('was started anew, and this was not answered').waitFor()
    assert.equal(await page.getByText('Working').isVisible(), false)
    held = undefined
    turn.resolve()
    await running.close()
    running = await startServer({ console: { chat, token: TOKEN }, port })
    await context.close()
  })

  for (const colorScheme of ['light', 'dark'] as const)
    for (const [device, width, height] of [
      ['phone', 390, 844],
      ['desktop', 1280, 900],
    ] as const)
      it(`fits a ${device} in the ${colorScheme}`, async () => {
        const { page, context } = await open(undefined, {
          colorScheme,
          viewport: { width, height },
          isMobile: device === 'phone',
          deviceScaleFactor: device === 'phone' ? 2 : 1,
        })
        const picture = (name: string) => page.screenshot({ path: `${PICTURES}/${device}-${colorScheme}-${name}.png` })
        await page.getByText('Connected', { exact: true }).waitFor()
        await picture('empty')
        for (const words of ['Swap 100 USDC for WETH', '/status', 'And now 10,000 more']) {
          await say(page, words)
          await page.locator('#working').waitFor({ state: 'hidden' })
        }
        await page.getByText('Shall I propose a smaller one?').waitFor()
        await picture('end')
        for (const words of ['table', 'held', 'failed']) {
          await say(page, words)
          await page.locator('#working').waitFor({ state: 'hidden' })
        }
        await picture('states')
        const turn = Promise.withResolvers<void>()
        held = turn.promise
        await say(page, 'table')
        await page.getByText('Working').waitFor()
        const hidden = await page
          .locator('main')
          .evaluate((main) => main.scrollHeight - main.clientHeight - main.scrollTop)
        assert.ok(hidden < 2, `the end is ${hidden} pixels out of view`)
        await picture('working')
        held = undefined
        turn.resolve()
        await page.locator('#working').waitFor({ state: 'hidden' })
        await page.locator('main').evaluate((main) => {
          main.scrollTop = 0
        })
        await picture('start')
        await page.evaluate(AXE)
        const violations = await page.evaluate(
          'axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ": " + nodes.map(({ html }) => html).join(" | ")))',
        )
        assert.deepEqual(violations, [])
        for (const name of ['html', 'main', '.card >> nth=0', '.card >> nth=1']) {
          const over = await page.locator(name).evaluate((one) => one.scrollWidth - one.clientWidth)
          assert.ok(over <= 0, `${name} is ${over} pixels too wide`)
        }
        await context.close()
      })
})

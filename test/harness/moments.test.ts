import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import type { Outbound } from '../../src/harness/channel.ts'
import { rendered } from '../../src/harness/channels/discord/render.ts'
import { createHarness, createMemory, noSkills } from '../../src/harness/index.ts'
import { clockFor, clockOf, inTheirTime } from '../../src/harness/moments.ts'
import { silentLog } from '../../src/lib/log.ts'
import { openStorage } from '../../src/storage/index.ts'

const SUMMER = '2026-07-01T22:30:59.000Z'
const WINTER = '2026-11-21T23:50:00Z'

const zurich = async () => clockOf('Europe/Zurich')

describe('moments that a person is told', () => {
  it('are in their zone, which is named: beside one, below several; summer and winter', async () => {
    const one = await inTheirTime({ type: 'status', text: `Paused since ${SUMMER}: wait.` }, zurich)
    assert.deepEqual(one, { type: 'status', text: 'Paused since 2 Jul 2026, 00:30 (Europe/Zurich): wait.' })
    const both = await inTheirTime({ type: 'error', text: `${SUMMER} a\n${WINTER} b` }, zurich)
    assert.deepEqual(both, {
      type: 'error',
      text: '2 Jul 2026, 00:30 a\n22 Nov 2026, 00:50 b\nTimes in Europe/Zurich.',
    })
  })

  it('are so in every part of a card, and in nothing that a model wrote', async () => {
    const card = {
      requestHash: '0x12',
      title: SUMMER,
      outcome: 'approved',
      reasonCode: 'allowed',
      reason: `Until ${WINTER}.`,
      lines: [{ label: 'until', text: WINTER }],
      checks: [{ id: 'c', status: 'passed', reason: WINTER }],
      execution: { mode: 'direct', ok: true, text: WINTER, txHash: null },
    } as const
    const shown = await inTheirTime({ type: 'verdict', card }, zurich)
    const read = '22 Nov 2026, 00:50 (Europe/Zurich)'
    assert.deepEqual(shown, {
      type: 'verdict',
      card: {
        ...card,
        reason: `Until ${read}.`,
        lines: [{ label: 'until', text: read }],
        checks: [{ id: 'c', status: 'passed', reason: read }],
        execution: { ...card.execution, text: read },
      },
    })
    const words: Outbound = { type: 'text', text: SUMMER }
    assert.equal(await inTheirTime(words, () => assert.fail('nobody is asked')), words)
  })

  it('that are none stay as they are: a contract may say what it likes', async () => {
    for (const text of ['2026-13-45T99:99:99Z', 'reverted: 0000-00-00T00:00:00Z, 2026-02-31T25:00:00.5Z']) {
      const told: Outbound = { type: 'error', text }
      assert.deepEqual(await inTheirTime(told, zurich), told)
    }
    const mixed = await inTheirTime({ type: 'status', text: `2026-99-99T00:00:00Z ${WINTER}` }, zurich)
    assert.deepEqual(mixed, { type: 'status', text: '2026-99-99T00:00:00Z 22 Nov 2026, 00:50 (Europe/Zurich)' })
  })

  it('on Discord are what every viewer reads in their own zone, and nothing else slips through', async () => {
    const clock = { show: (ms: number) => `<t:${Math.floor(ms / 1_000)}:f>`, note: '' }
    const told = await inTheirTime({ type: 'status', text: `at ${WINTER} <t:1:R> <@1>` }, async () => clock)
    assert.ok(told.type === 'status')
    assert.equal(rendered({ body: told, isRepeat: false }).content, '-# at <t:1795305000:f> <t:1:R\\> <@1\\>')
  })
})

describe('the zone of a person', async () => {
  const storage = await openStorage({ url: undefined })
  after(() => storage.close())
  const memory = createMemory(storage.stores, storage.now)
  const harness = createHarness({
    agents: [{ id: 'main', name: 'Main' }],
    providers: {},
    mode: 'dry-run',
    trading: undefined,
    tools: [],
    memory,
    skills: noSkills,
    log: silentLog,
    now: () => new Date(),
  })
  let n = 0
  const say = async (text: string, sender: string) => {
    const out: string[] = []
    const message = { id: `m${n++}`, conversation: sender, sender, text }
    await harness.receive('telegram', message, async (told) => void ('text' in told && out.push(told.text)))
    return out.join('\n')
  }
  const noteFor = async (message: Readonly<{ sender: string; timeZone?: string }>) =>
    (await clockFor({ channel: { name: 'telegram' }, storage, timeZone: 'Asia/Tokyo' }, message)).note

  it('is the one that they name, else that of their device, else the usual one', async () => {
    assert.deepEqual(await Promise.all([noteFor({ sender: '1' }), noteFor({ sender: '1', timeZone: 'Asia/Dubai' })]), [
      'Asia/Tokyo',
      'Asia/Dubai',
    ])
    assert.match(await say('/timezone europe/zurich', '1'), /^Times are told in Europe\/Zurich from now on\. It is 20/)
    assert.match(await say('/timezone', '1'), /Europe\/Zurich/)
    assert.equal(await noteFor({ sender: '1', timeZone: 'Asia/Dubai' }), 'Europe/Zurich')
    assert.equal(await noteFor({ sender: '2' }), 'Asia/Tokyo')
    await say('/timezone America/New_York', '1')
    assert.equal(await noteFor({ sender: '1' }), 'America/New_York')
    await say('/timezone reset', '1')
    assert.equal(await noteFor({ sender: '1' }), 'Asia/Tokyo')
  })

  it('is refused where there is none of that name, and stays as it was', async () => {
    await say('/timezone Europe/Zurich', '3')
    assert.match(await say('/timezone Middle/Earth', '3'), /no such time zone.*Europe\/Zurich/)
    assert.equal(await noteFor({ sender: '3' }), 'Europe/Zurich')
  })
})

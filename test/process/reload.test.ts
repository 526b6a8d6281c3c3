import assert from 'node:assert/strict'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { type Config, readConfig } from '../../src/config.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import { silentLog } from '../../src/lib/log.ts'
import { watchConfig } from '../../src/process/reload.ts'
import { temporaryFolder } from '../support/product.ts'

const WALLET = '0x00000000000000000000000000000000000a11ce'

async function world(first: object, decidesHere = true) {
  const folder = await temporaryFolder()
  const path = join(folder.path, 'agents.config.json')
  let text = JSON.stringify(first)
  await writeFile(path, text)
  const did: string[] = []
  const read = (): Config =>
    readConfig({ env: { WALLET_ADDRESS: WALLET, BOT: 'token' }, file: JSON.parse(text) as unknown })
  const watched = watchConfig({
    config: read(),
    read,
    path,
    harness: {
      reload({ agents }) {
        if (agents.some(({ name }) => name === 'refused')) throw new CountersignError('invalid_request', 'no such tool')
        did.push(`agents ${agents.map(({ id }) => id).join()}`)
      },
    },
    policy: decidesHere
      ? { writePolicy: async (_wallet, policy, by) => void did.push(`policy ${JSON.stringify(policy)} ${by}`) as never }
      : undefined,
    reopen: async ({ bots }) => void did.push(`channels ${bots.length}`),
    notice: async (said) => void did.push(`notice ${said}`),
    log: silentLog,
  })
  return {
    did,
    async write(next: object | string) {
      text = typeof next === 'string' ? next : JSON.stringify(next)
      await writeFile(path, text)
    },
    reload: watched.reload,
    async close() {
      await watched.close()
      await folder.remove()
    },
  }
}

const agent = (name: string) => ({ agents: [{ id: 'a', name }] })

describe('a configuration that changes', () => {
  it('is taken up in its parts, and only what has changed', async () => {
    const { did, write, reload, close } = await world(agent('A'))
    await reload()
    assert.deepEqual(did, [])
    await write(agent('B'))
    await reload()
    assert.deepEqual(did.splice(0), ['agents a'])
    await write({ ...agent('B'), policy: { caps: { perTxUsd: 5 } } })
    await reload()
    assert.deepEqual(did.splice(0), ['agents a', 'policy {"caps":{"perTxUsd":5}} configuration file'])
    const telegram = { accounts: { main: { botToken: { env: 'BOT' }, allowFrom: ['1'] } } }
    await write({ ...agent('B'), policy: { caps: { perTxUsd: 5 } }, channels: { telegram } })
    await reload()
    assert.deepEqual(did.splice(0), ['agents a', 'channels 1'])
    const web = { owners: [WALLET] }
    await write({ ...agent('B'), policy: { caps: { perTxUsd: 5 } }, channels: { telegram, web } })
    await reload()
    assert.deepEqual(did.splice(0), ['agents a', 'channels 1'])
    await close()
  })

  it('is taken up but for its policy where another process decides', async () => {
    const { did, write, reload, close } = await world(agent('A'), false)
    const telegram = { accounts: { main: { botToken: { env: 'BOT' }, allowFrom: ['1'] } } }
    await write({ ...agent('B'), policy: { caps: { perTxUsd: 5 } }, channels: { telegram } })
    await reload()
    assert.deepEqual(did, ['agents a', 'channels 1'])
    await close()
  })

  it('that is not right changes nothing and is said; a right one follows', async () => {
    const { did, write, reload, close } = await world(agent('A'))
    for (const wrong of ['{', { agents: [] }, { nope: 1 }, agent('refused')]) {
      await write(wrong)
      await reload()
      assert.match(did.splice(0).join(), /^notice The configuration is not right/)
    }
    await write(agent('C'))
    await reload()
    assert.deepEqual(did, ['agents a'])
    await close()
  })

  it('is noticed by itself', async () => {
    const { did, write, close } = await world(agent('A'))
    await pause(100)
    await write(agent('B'))
    for (let n = 0; did.length === 0 && n < 400; n++) await pause(10)
    assert.deepEqual(did, ['agents a'])
    await close()
  })
})

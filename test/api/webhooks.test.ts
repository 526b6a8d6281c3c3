import assert from 'node:assert/strict'
import { after, describe, it } from 'node:test'
import { problemIn, startServer } from './running-server.ts'

const SECRET = 'a-secret-of-a-webhook'
const taken: unknown[] = []
const webhook = {
  async accept(secret: string, update: unknown) {
    if (secret === SECRET) taken.push(update)
    return secret === SECRET
  },
}
const running = await startServer({ webhooks: new Map([['main', webhook]]) })
after(() => running.close())

const bring = (update: string, { account = 'main', secret = SECRET } = {}) =>
  running.request('POST', `/channels/telegram/${account}`, {
    headers: { 'x-telegram-bot-api-secret-token': secret },
    body: update,
  })

describe('an update of Telegram', () => {
  it('is taken by the account it is for, with the secret alone', async () => {
    assert.equal((await bring('{"update_id":1}')).status, 200)
    assert.equal(problemIn(await bring('{}', { account: 'other' })).error, 'not_found')
    for (const secret of ['', 'x']) assert.equal(problemIn(await bring('{}', { secret })).error, 'unauthenticated')
    assert.deepEqual(taken.splice(0), [{ update_id: 1 }])
  })

  it('is taken at the longest that anybody can write: what is refused comes again, before all others', async () => {
    // 4,096 characters beyond the basic plane, in answer to as many, in the escapes that Telegram sends.
    const text = '\\ud83d\\ude00'.repeat(4_096)
    const update = `{"message":{"text":"${text}","reply_to_message":{"text":"${text}"}}}`
    assert.equal((await bring(update)).status, 200)
    assert.deepEqual(taken.splice(0), [JSON.parse(update)])
    assert.equal(problemIn(await bring(JSON.stringify('x'.repeat(524_288)))).error, 'payload_too_large')
  })
})

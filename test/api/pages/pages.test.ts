import assert from 'node:assert/strict'
import { request } from 'node:http'
import { after, describe, it } from 'node:test'
import { startPublicServer } from '../../support/person.ts'

const running = await startPublicServer()
after(() => running.close())

/** Where a request with this target and this host is led to. */
const ledTo = (path: string, host: string) =>
  new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: running.port, path, headers: { host } }, (response) => {
      response.resume()
      resolve([response.statusCode, response.headers.location])
    })
    asked.on('error', reject).end()
  })

describe('a page on which a person signs', () => {
  const page = '/api/auth/connect?request=x'

  it('is opened under the name that messages have, however the target is written', async () => {
    const { origin } = new URL(running.publicUrl)
    for (const host of ['127.0.0.1', '127.0.0.1:1', '[::1]'])
      for (const target of [page, `http://${host}${page}`, `http://elsewhere.example${page}`])
        assert.deepEqual(await ledTo(target, host), [302, origin + page], `${target} of ${host}`)
  })

  it('is led back from a slash at its end, behind which its files would be elsewhere', async () => {
    const host = `localhost:${running.port}`
    assert.deepEqual(await ledTo('/api/auth/connect/?request=x', host), [302, '../connect?request=x'])
    assert.deepEqual(await ledTo('/api/oauth/consent/a%2Fb/', host), [302, '../a%2Fb'])
  })

  it('is served where it is asked for by that name, or by none of this machine', async () => {
    for (const host of [`localhost:${running.port}`, 'elsewhere.example'])
      assert.deepEqual(await ledTo(page, host), [200, undefined])
  })
})

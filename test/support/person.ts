// A person with a wallet and a browser, for tests: signs what is asked, and follows where the browser is led.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { generatePrivateKey, privateKeyToAccount } from 'viem/accounts'
import { startServer } from '../api/running-server.ts'

/** A wallet of a key that nobody else has. */
export function newWallet() {
  return privateKeyToAccount(generatePrivateKey())
}
export type TestWallet = ReturnType<typeof newWallet>

/** A port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  assert.ok(address !== null && typeof address === 'object')
  return address.port
}

/** The server at an address that clients see as it is. */
export async function startPublicServer(options: Parameters<typeof startServer>[0] = {}) {
  const port = await freePort()
  const publicUrl = `http://localhost:${port}/api`
  return { ...(await startServer({ ...options, port, publicUrl })), publicUrl }
}

type Session = Readonly<{
  accessToken: string
  refreshToken: string
  user: { id: string; ethereumAddress: string }
}>

/** Signs in by REST, and gives the tokens. */
export async function signIn(publicUrl: string, wallet: TestWallet) {
  const asked = { walletAddress: wallet.address, chainId: 1 }
  const { message } = await postJson<{ message: string }>(`${publicUrl}/auth/siwe/message`, asked)
  const signature = await wallet.signMessage({ message })
  return postJson<Session>(`${publicUrl}/auth/siwe/verify`, { message, signature })
}

// What a route answers is described by its schema; a test reads the fields that it knows.
async function postJson<answer = Record<string, string>>(url: string, body: object, cookie?: string): Promise<answer> {
  const headers = { 'content-type': 'application/json', ...(cookie !== undefined && { cookie }) }
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  const text = await response.text()
  assert.equal(response.status, 200, text)
  return JSON.parse(text) as answer
}

/** Browser of a person who is led from an authorization address to a consent, and on. */
export function newBrowser() {
  const cookies = new Map<string, string>()
  const cookie = () => [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
  const visit = async (url: string | URL) => {
    const response = await fetch(url, { redirect: 'manual', headers: { cookie: cookie() } })
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      cookies.set(name, value)
    }
    return response
  }
  return {
    visit,
    cookie,
    /** Visits an authorization address, and gives the address of the consent page. */
    async begin(url: string | URL): Promise<string> {
      const response = await visit(url)
      const text = await response.text()
      assert.equal(response.status, 303, text)
      return response.headers.get('location') ?? assert.fail('It leads nowhere.')
    },
    /** Signs the consent, and gives the address at which the client gets its code. */
    async approve(consent: string, wallet: TestWallet): Promise<URL> {
      const asked = { walletAddress: wallet.address, chainId: 1 }
      const { message = '' } = await postJson(`${consent}/message`, asked, cookie())
      const signature = await wallet.signMessage({ message })
      const { redirectTo = '' } = await postJson(`${consent}/approve`, { message, signature }, cookie())
      return new URL((await visit(redirectTo)).headers.get('location') ?? assert.fail('It leads nowhere.'))
    },
    async decline(consent: string): Promise<URL> {
      const { redirectTo = '' } = await postJson(`${consent}/decline`, {}, cookie())
      return new URL((await visit(redirectTo)).headers.get('location') ?? assert.fail('It leads nowhere.'))
    },
  }
}

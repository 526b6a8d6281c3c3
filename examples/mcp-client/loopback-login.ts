import { once } from 'node:events'
import { createServer } from 'node:http'
import type { OAuthClientProvider, StoredOAuthClientInformation, StoredOAuthTokens } from '@modelcontextprotocol/client'

/** What the browser brought back. */
export type Login = Readonly<{
  provider: OAuthClientProvider
  /** Waits until the person has answered in the browser. */
  answered: Promise<URLSearchParams>
  close(): void
}>

/**
 * Login of a program on a person's own machine: the browser comes back to a port that only this machine has. Everything
 * is kept in memory; a program that people use every day keeps tokens where the system keeps secrets.
 *
 * @param open leads the person to an address: opens the browser, or prints it
 */
export async function loopbackLogin(open: (address: URL) => void): Promise<Login> {
  const answered = Promise.withResolvers<URLSearchParams>()
  const server = createServer((request, response) => {
    // Anybody on this machine may ask for anything, also for what is no address.
    const address = URL.parse(request.url ?? '/', 'http://127.0.0.1')
    response.setHeader('content-type', 'text/plain; charset=utf-8')
    if (address?.pathname !== '/callback') return void response.end('Nothing is here.')
    answered.resolve(address.searchParams)
    response.end('Done. You can close this page.')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address !== null ? address.port : 0
  return {
    provider: inMemory(`http://127.0.0.1:${port}/callback`, open),
    answered: answered.promise,
    close: () => server.close(),
  }
}

function inMemory(redirectUrl: string, open: (address: URL) => void): OAuthClientProvider {
  let client: StoredOAuthClientInformation | undefined
  let tokens: StoredOAuthTokens | undefined
  let verifier = ''
  let discovered: ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>
  return {
    redirectUrl,
    clientMetadata: {
      client_name: 'countersign example client',
      redirect_uris: [redirectUrl],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
    clientInformation: () => client,
    saveClientInformation(registered) {
      client = registered
    },
    tokens: () => tokens,
    saveTokens(issued) {
      tokens = issued
    },
    redirectToAuthorization: open,
    saveCodeVerifier(made) {
      verifier = made
    },
    codeVerifier: () => verifier,
    // An answer counts only from the server that the person was sent to.
    saveDiscoveryState(state) {
      discovered = state
    },
    discoveryState: () => discovered,
  }
}

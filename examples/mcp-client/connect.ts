import { Client, StreamableHTTPClientTransport, UnauthorizedError } from '@modelcontextprotocol/client'
import { loopbackLogin } from './loopback-login.ts'

/**
 * Connects the official client to an MCP endpoint it has never heard of. The endpoint answers 401 and says where its
 * authorization server is; the client registers itself, sends the person to a page where they sign with their wallet,
 * and comes back with a token. Nothing here is special to countersign.
 */
export async function connect(endpoint: URL, open: (address: URL) => void): Promise<Client> {
  const login = await loopbackLogin(open)
  const newClient = () => new Client({ name: 'countersign-example', version: '1.0.0' })
  const newTransport = () => new StreamableHTTPClientTransport(endpoint, { authProvider: login.provider })
  try {
    const first = newClient()
    const transport = newTransport()
    try {
      await first.connect(transport)
      return first
    } catch (refused) {
      if (!(refused instanceof UnauthorizedError)) throw refused
    }
    await transport.finishAuth(await login.answered)
    const client = newClient()
    await client.connect(newTransport())
    return client
  } finally {
    login.close()
  }
}

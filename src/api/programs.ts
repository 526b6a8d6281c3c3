import type Router from '@koa/router'
import type { Log } from '../lib/log.ts'
import { addMcp, type McpParts } from './mcp/index.ts'
import { addOauth, createAuthorizationServer, oauthAddresses } from './oauth/index.ts'
import { addPages } from './pages/pages.ts'
import type { Services, Settings } from './services.ts'

/** Parts in which this differs from its usual self. */
export type ProgramParts = Readonly<{
  /** Answers the requests of MCP clients that have passed the door. */
  mcpHandlerOf?: McpParts['handlerOf']
  /** Reads the metadata document of a client that is named by its address. */
  fetchClientDocument?: typeof fetch
}>

type Surroundings = Readonly<{ services: Services; settings: Settings; log: Log }>

/** Adds all by which programs of people connect: the pages that people see, the authorization server and MCP. */
export function addPrograms(
  router: Router,
  { services, settings: { publicUrl }, log }: Surroundings,
  { mcpHandlerOf, fetchClientDocument = fetch }: ProgramParts,
): Readonly<{ close(): Promise<void> }> {
  const { identity } = services
  const addresses = oauthAddresses(publicUrl)
  const authorizationServer = createAuthorizationServer({ addresses, identity, log, fetch: fetchClientDocument })
  addPages(router, publicUrl)
  addOauth(router, { server: authorizationServer, services, publicUrl })
  return addMcp(router, { services, authorizationServer, publicUrl, log, handlerOf: mcpHandlerOf })
}

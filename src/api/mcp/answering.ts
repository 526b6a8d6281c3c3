import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, type McpHandlerRequestOptions, type McpServerFactory } from '@modelcontextprotocol/server'
import type { Log } from '../../lib/log.ts'
import type { Services } from '../services.ts'
import { type McpRequest, mcpServerFor } from './mcp-server.ts'

/** What answers the requests that have passed the door. */
export type McpHandler = Readonly<{
  fetch(request: Request, options?: McpHandlerRequestOptions): Promise<Response>
  close(): Promise<void>
}>

/** Makes what answers out of the factory of servers. */
export type HandlerOf = (factory: McpServerFactory) => McpHandler

/** What answers with servers that are made for each request, without sessions, or with what `handlerOf` makes of them. */
export function createAnswering(
  services: Pick<Services, 'policy' | 'auth' | 'version' | 'limiter'>,
  log: Log,
  handlerOf: HandlerOf | undefined,
) {
  const onerror = (error: Error) => log.debug({ error: error.name }, 'request of an MCP client refused')
  const make = handlerOf ?? ((factory) => createMcpHandler(factory, { onerror }))
  const handler = make(({ authInfo }) =>
    mcpServerFor(authInfo?.extra?.['request'] as McpRequest, { services, version: services.version, log }),
  )
  return { serve: toNodeHandler(handler), close: () => handler.close() }
}

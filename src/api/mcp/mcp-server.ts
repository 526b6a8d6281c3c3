import {
  type CallToolResult,
  McpServer,
  ResourceNotFoundError,
  ResourceTemplate,
  type ScopeChallengeHandler,
} from '@modelcontextprotocol/server'
import type { Principal } from '../../auth/index.ts'
import { isAddress, toAddress } from '../../lib/address.ts'
import { CountersignError, messageOf } from '../../lib/errors.ts'
import type { Log } from '../../lib/log.ts'
import { holds } from '../../lib/scopes.ts'
import { callerOf } from '../caller.ts'
import { problemOf } from '../error-body.ts'
import type { McpServices, McpTool } from './tool.ts'
import { toolSchema } from './tool-schema.ts'
import { tools } from './tools/index.ts'
import { GATE_PROMPT, INSTRUCTIONS } from './wording.ts'

/** What one request of a client is served with. */
export type McpRequest = Readonly<{ principal: Principal; requestId: string }>

type Parts = Readonly<{ services: McpServices; version: string; log: Log }>

// What is offered is the same for as long as the process runs: there are no changes to be told of.
const CAPABILITIES = {
  tools: { listChanged: false },
  prompts: { listChanged: false },
  resources: { listChanged: false, subscribe: false },
} as const

/** The server of one request: tools, resources and a prompt, for who asks. */
export function mcpServerFor(request: McpRequest, parts: Parts): McpServer {
  const server = new McpServer(
    { name: 'countersign', version: parts.version },
    { instructions: INSTRUCTIONS, capabilities: CAPABILITIES },
  )
  for (const tool of tools) addTool(server, tool, request, parts)
  addResources(server, request, parts)
  const description =
    'How to act for a wallet through the gate: submit, wait for the verdict, execute only what is approved.'
  server.registerPrompt('the_gate', { title: 'How the gate works', description }, () => ({
    messages: [{ role: 'user', content: { type: 'text', text: GATE_PROMPT } }],
  }))
  return server
}

function addTool(server: McpServer, tool: McpTool, { principal, requestId }: McpRequest, parts: Parts): void {
  const { name, title, description, input, output, scopes, hints } = tool
  const annotations = {
    title,
    readOnlyHint: hints.readOnly,
    destructiveHint: false,
    idempotentHint: hints.idempotent,
    openWorldHint: false,
  }
  const config = { title, description, annotations, scopeChallenge: challengeOf(scopes, principal) }
  const schemas = { inputSchema: toolSchema(input), outputSchema: toolSchema(output) }
  server.registerTool(name, { ...config, ...schemas }, async (args, { mcpReq }): Promise<CallToolResult> => {
    try {
      const answer = await tool.call({ args, principal, signal: mcpReq.signal }, parts.services)
      const structuredContent = output.parse(answer)
      return { content: [textOf(structuredContent)], structuredContent }
    } catch (thrown) {
      if (!(thrown instanceof CountersignError) || thrown.code === 'internal')
        parts.log.error({ requestId, tool: name, error: messageOf(thrown) }, 'tool failed')
      return { content: [textOf(problemOf(thrown, requestId))], isError: true }
    }
  })
}

function textOf(value: object) {
  return { type: 'text' as const, text: JSON.stringify(value) }
}

/** A caller that lacks the scopes is told which ones to come back with. */
function challengeOf(scopes: McpTool['scopes'], principal: Principal): ScopeChallengeHandler {
  const [first] = scopes
  return () => {
    if (holds(principal.scopes, scopes)) return undefined
    return {
      scopes: [first, ...principal.scopes],
      errorDescription: `This tool needs the scope ${scopes.join(' or ')}.`,
    }
  }
}

function addResources(server: McpServer, { principal }: McpRequest, { services: { policy } }: Parts): void {
  const caller = callerOf(principal)
  const resources = [
    {
      name: 'policy',
      title: 'Policy of a wallet',
      description: 'The current policy of a wallet that you act for.',
      template: 'countersign://policies/{walletAddress}',
      read: async (id: string) => {
        if (!isAddress(id)) throw new CountersignError('not_found', 'This is no address.')
        return policy.readOwnPolicy(caller, toAddress(id))
      },
    },
    {
      name: 'verdict',
      title: 'Verdict on an action',
      description: 'The verdict on an action that you submitted; null while it is not decided.',
      template: 'countersign://verdicts/{requestHash}',
      read: async (id: string) => (await policy.readVerdict(caller, id)).verdict,
    },
  ]
  for (const { name, title, description, template, read } of resources)
    server.registerResource(
      name,
      new ResourceTemplate(template, { list: undefined }),
      { title, description, mimeType: 'application/json' },
      async (uri) => {
        const id = uri.pathname.slice(1)
        const value = await read(id).catch((thrown: unknown) => {
          throw thrown instanceof CountersignError && thrown.code !== 'internal'
            ? new ResourceNotFoundError(uri.href, thrown.message)
            : thrown
        })
        return { contents: [{ uri: uri.href, mimeType: 'application/json', text: JSON.stringify(value) }] }
      },
    )
}

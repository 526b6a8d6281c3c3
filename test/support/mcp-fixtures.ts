// What the published conformance suite expects a server to offer: tools, resources and prompts of its own names.
import { randomUUID } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import {
  completable,
  createMcpHandler,
  fromJsonSchema,
  isLegacyRequest,
  type McpHandlerRequestOptions,
  McpServer,
  type McpServerFactory,
  ResourceTemplate,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { z } from 'zod'
import { addInputFixtures } from './mcp-input-fixtures.ts'

const PNG = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=='
const WAV = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA='

const text = (words: string) => ({ type: 'text' as const, text: words })
const image = { type: 'image' as const, data: PNG, mimeType: 'image/png' }

/**
 * Serves the product's own server with the fixtures added to it. Clients of the revisions before the current one get
 * sessions here: the suite has tools that ask the client something, which the product's never do.
 */
export function fixtureHandlerOf(factory: McpServerFactory) {
  const extended: McpServerFactory = async (context) => {
    const server = await factory(context)
    if (server instanceof McpServer) addFixtures(server)
    return server
  }
  const modern = createMcpHandler(extended, { legacy: 'reject' })
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>()
  const listening = new Set<string>()
  return {
    async fetch(request: Request, options: McpHandlerRequestOptions = {}): Promise<Response> {
      if (!(await isLegacyRequest(request))) return modern.fetch(request, options)
      const id = request.headers.get('mcp-session-id') ?? ''
      const known = sessions.get(id)
      if (known && request.method === 'GET') listening.add(id)
      // What a tool asks goes by the client's own stream, which it opens in its own time.
      for (let i = 0; known && asks(options.parsedBody) && !listening.has(id) && i < 100; i++) await wait(50)
      if (known) return known.handleRequest(request, options)
      const transport: WebStandardStreamableHTTPServerTransport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (id) => void sessions.set(id, transport),
      })
      const { authInfo } = options
      const server = await extended({ era: 'legacy', ...(authInfo && { authInfo }) })
      await server.connect(transport)
      return transport.handleRequest(request, options)
    },
    async close(): Promise<void> {
      for (const transport of sessions.values()) await transport.close()
      await modern.close()
    },
  }
}

function asks(body: unknown): boolean {
  return /"name":"test_(sampling|elicitation)/.test(JSON.stringify(body ?? null))
}

function addFixtures(server: McpServer): void {
  server.server.registerCapabilities({ logging: {}, resources: { subscribe: true } })
  server.server.setRequestHandler('resources/subscribe', () => ({}))
  server.server.setRequestHandler('resources/unsubscribe', () => ({}))
  addTools(server)
  addAskingTools(server)
  addInputFixtures(server)
  addResources(server)
  addPrompts(server)
}

function addTools(server: McpServer): void {
  const plain = (name: string, content: () => object[]) =>
    server.registerTool(name, { description: name }, () => ({ content: content() as never }))
  plain('test_simple_text', () => [text('This is a simple text response for testing.')])
  plain('test_image_content', () => [image])
  plain('test_audio_content', () => [{ type: 'audio', data: WAV, mimeType: 'audio/wav' }])
  plain('test_embedded_resource', () => [
    {
      type: 'resource',
      resource: {
        uri: 'test://embedded-resource',
        mimeType: 'text/plain',
        text: 'This is an embedded resource content.',
      },
    },
  ])
  plain('test_multiple_content_types', () => [
    text('Multiple content types test:'),
    image,
    {
      type: 'resource',
      resource: {
        uri: 'test://mixed-content-resource',
        mimeType: 'application/json',
        text: '{"test":"data","value":123}',
      },
    },
  ])
  server.registerTool('test_tool_with_logging', { description: 'logs' }, async (ctx) => {
    for (const words of ['Tool execution started', 'Tool processing data', 'Tool execution completed'])
      await ctx.mcpReq.log('info', words)
    return { content: [text('Done.')] }
  })
  server.registerTool('test_error_handling', { description: 'fails' }, () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }))
  server.registerTool('test_tool_with_progress', { description: 'progresses' }, async (ctx) => {
    const progressToken = ctx.mcpReq._meta?.progressToken
    for (const progress of [0, 50, 100])
      if (progressToken !== undefined)
        await ctx.mcpReq.notify({ method: 'notifications/progress', params: { progressToken, progress, total: 100 } })
    return { content: [text(String(progressToken))] }
  })
  server.registerTool(
    'json_schema_2020_12_tool',
    {
      description: 'Tool with JSON Schema 2020-12 features',
      inputSchema: fromJsonSchema({
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        type: 'object',
        $defs: {
          address: {
            $anchor: 'addressDef',
            type: 'object',
            properties: { street: { type: 'string' }, city: { type: 'string' } },
          },
        },
        properties: {
          name: { type: 'string' },
          address: { $ref: '#/$defs/address' },
          contactMethod: { type: 'string', enum: ['phone', 'email'] },
          phone: { type: 'string' },
          email: { type: 'string' },
        },
        allOf: [{ anyOf: [{ required: ['phone'] }, { required: ['email'] }] }],
        if: { properties: { contactMethod: { const: 'phone' } }, required: ['contactMethod'] },
        // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
        // oxlint-disable-next-line unicorn/no-thenable
        then: { required: ['phone'] },
        else: { required: ['email'] },
        additionalProperties: false,
      }),
    },
    () => ({ content: [text('ok')] }),
  )
}

function addAskingTools(server: McpServer): void {
  server.registerTool(
    'test_sampling',
    { description: 'samples', inputSchema: z.object({ prompt: z.string() }) },
    async ({ prompt }, ctx) => {
      const messages = [{ role: 'user' as const, content: text(prompt) }]
      const { content } = await ctx.mcpReq.requestSampling({ messages, maxTokens: 100 })
      return { content: [text(`LLM response: ${JSON.stringify(content)}`)] }
    },
  )
  const asking = (name: string, properties: object, required: string[], inputSchema?: z.ZodObject) =>
    server.registerTool(name, { description: name, inputSchema: inputSchema ?? z.object({}) }, async (args, ctx) => {
      const { message = 'Please answer.' } = args as { message?: string }
      const requestedSchema = { type: 'object', properties, required } as never
      const { action, content } = await ctx.mcpReq.elicitInput({ mode: 'form', message, requestedSchema })
      return { content: [text(`User response: action=${action}, content=${JSON.stringify(content)}`)] }
    })
  asking(
    'test_elicitation',
    {
      username: { type: 'string', description: "User's response" },
      email: { type: 'string', description: "User's email address" },
    },
    ['username', 'email'],
    z.object({ message: z.string() }),
  )
  asking(
    'test_elicitation_sep1034_defaults',
    {
      name: { type: 'string', default: 'John Doe' },
      age: { type: 'integer', default: 30 },
      score: { type: 'number', default: 95.5 },
      status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
      verified: { type: 'boolean', default: true },
    },
    [],
  )
  const titled = [
    { const: 'value1', title: 'First Option' },
    { const: 'value2', title: 'Second Option' },
    { const: 'value3', title: 'Third Option' },
  ]
  const options = ['option1', 'option2', 'option3']
  asking(
    'test_elicitation_sep1330_enums',
    {
      untitledSingle: { type: 'string', enum: options },
      titledSingle: { type: 'string', oneOf: titled },
      legacyEnum: {
        type: 'string',
        enum: ['opt1', 'opt2', 'opt3'],
        enumNames: ['Option One', 'Option Two', 'Option Three'],
      },
      untitledMulti: { type: 'array', items: { type: 'string', enum: options } },
      titledMulti: { type: 'array', items: { anyOf: titled } },
    },
    [],
  )
}

function addResources(server: McpServer): void {
  const add = (name: string, uri: string, mimeType: string, content: object) =>
    server.registerResource(name, uri, { mimeType, description: name }, () => ({
      contents: [{ uri, mimeType, ...content }] as never,
    }))
  add('static-text', 'test://static-text', 'text/plain', { text: 'This is the content of the static text resource.' })
  add('static-binary', 'test://static-binary', 'image/png', { blob: PNG })
  add('watched-resource', 'test://watched-resource', 'text/plain', { text: 'Watched resource content' })
  const template = new ResourceTemplate('test://template/{id}/data', { list: undefined })
  server.registerResource('template', template, { mimeType: 'application/json' }, (uri, { id }) => ({
    contents: [
      {
        uri: uri.href,
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${String(id)}` }),
      },
    ],
  }))
}

function addPrompts(server: McpServer): void {
  const say = (...contents: object[]) => ({
    messages: contents.map((content) => ({ role: 'user' as const, content: content as never })),
  })
  server.registerPrompt('test_simple_prompt', { description: 'simple' }, () =>
    say(text('This is a simple prompt for testing.')),
  )
  server.registerPrompt(
    'test_prompt_with_arguments',
    {
      description: 'with arguments',
      argsSchema: z.object({
        arg1: completable(z.string(), (value) => ['paris', 'park', 'party'].filter((word) => word.startsWith(value))),
        arg2: z.string(),
      }),
    },
    ({ arg1, arg2 }) => say(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`)),
  )
  server.registerPrompt(
    'test_prompt_with_embedded_resource',
    { description: 'with a resource', argsSchema: z.object({ resourceUri: z.string() }) },
    ({ resourceUri }) =>
      say(
        {
          type: 'resource',
          resource: { uri: resourceUri, mimeType: 'text/plain', text: 'Embedded resource content for testing.' },
        },
        text('Please process the embedded resource above.'),
      ),
  )
  server.registerPrompt('test_prompt_with_image', { description: 'with an image' }, () =>
    say(image, text('Please analyze the image above.')),
  )
}

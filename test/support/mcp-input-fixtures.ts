// What the published conformance suite expects of a server of the 2026-07-28 revision: tools and a prompt that come back
// for input, in several rounds, with a state that nobody may change in between.
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  type ClientCapabilities,
  createRequestStateCodec,
  fromJsonSchema,
  type InputRequests,
  inputRequired,
  inputResponse,
  type McpServer,
  type ServerContext,
} from '@modelcontextprotocol/server'

const text = (words: string) => ({ type: 'text' as const, text: words })
const done = (words: string) => ({ content: [text(words)] })

const codec = createRequestStateCodec<Readonly<{ round: number }>>({ key: 'a key of the tests, of 32 bytes and more' })

const question = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  })
const confirmation = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
})
const sampling = (words: string, maxTokens: number) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(words) }], maxTokens })

const hasAll = ({ mcpReq }: ServerContext, keys: readonly string[]) =>
  keys.every((key) => inputResponse(mcpReq.inputResponses, key).kind !== 'missing')

/** An argument that clients repeat in the header `Mcp-Param-Region`. No word of JSON Schema itself. */
const MIRRORED: object = { 'x-mcp-header': 'Region' }

/** Adds them to a server. It gets the check of the state that its constructor would have been given. */
export function addInputFixtures(server: McpServer): void {
  Reflect.set(server.server, '_requestStateVerify', codec.verify)
  addAskingTools(server)
  addStatefulTools(server)
  addDiagnosticTools(server)
  server.registerPrompt('test_input_required_result_prompt', { description: 'asks' }, (ctx) => {
    const known = acceptedContent(ctx.mcpReq.inputResponses, 'user_context')
    if (known === undefined)
      return inputRequired({
        inputRequests: { user_context: question('What context should the prompt use?', 'context') },
      })
    return { messages: [{ role: 'user', content: text(String(known['context'])) }] }
  })
}

function addAskingTools(server: McpServer): void {
  const asking = (name: string, inputRequests: InputRequests) =>
    server.registerTool(name, { description: name }, (ctx) =>
      hasAll(ctx, Object.keys(inputRequests)) ? done('Thank you.') : inputRequired({ inputRequests }),
    )
  asking('test_input_required_result_elicitation', { user_name: question('What is your name?', 'name') })
  asking('test_input_required_result_sampling', { capital_question: sampling('What is the capital of France?', 100) })
  asking('test_input_required_result_list_roots', { client_roots: inputRequired.listRoots() })
  asking('test_missing_capability', { opinion: sampling('What do you think?', 100) })
  asking('test_streaming_elicitation', { answer: question('What is your answer?', 'answer') })
  server.registerTool('test_input_required_result_capabilities', { description: 'asks what can be asked' }, (ctx) => {
    const declared = ctx.mcpReq.envelope as Readonly<Record<string, ClientCapabilities | undefined>> | undefined
    const capabilities = declared?.[CLIENT_CAPABILITIES_META_KEY]
    const inputRequests = {
      ...(capabilities?.sampling && { greeting: sampling('Generate a greeting', 50) }),
      ...(capabilities?.elicitation && { user_name: question('What is your name?', 'name') }),
    }
    return hasAll(ctx, Object.keys(inputRequests)) ? done('Thank you.') : inputRequired({ inputRequests })
  })
}

function addStatefulTools(server: McpServer): void {
  /** Asks the questions of one round after the other; the state says which round the answers are for. */
  const inRounds = (name: string, rounds: readonly InputRequests[]) =>
    server.registerTool(name, { description: name }, async (ctx) => {
      const { round = -1 } = ctx.mcpReq.requestState<Readonly<{ round: number }>>() ?? {}
      const isAnswered = hasAll(ctx, Object.keys(rounds[round] ?? {}))
      const next = isAnswered ? round + 1 : round
      const inputRequests = rounds[next]
      if (inputRequests === undefined) return done('state-ok')
      return inputRequired({ inputRequests, requestState: await codec.mint({ round: next }) })
    })
  inRounds('test_input_required_result_request_state', [{ confirm: confirmation }])
  inRounds('test_input_required_result_tampered_state', [{ confirm: confirmation }])
  inRounds('test_input_required_result_multiple_inputs', [
    {
      user_name: question('What is your name?', 'name'),
      greeting: sampling('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    },
  ])
  inRounds('test_input_required_result_multi_round', [
    { step1: question('Step 1: What is your name?', 'name') },
    { step2: question('Step 2: What is your favorite color?', 'color') },
  ])
}

function addDiagnosticTools(server: McpServer): void {
  server.registerTool('test_logging_tool', { description: 'logs' }, async (ctx) => {
    await ctx.mcpReq.log('info', 'It was called.')
    return done('Done.')
  })
  server.registerTool(
    'test_custom_header',
    {
      description: 'has an argument that stands in a header too',
      inputSchema: fromJsonSchema({
        type: 'object',
        properties: { region: { type: 'string', ...MIRRORED } },
        required: ['region'],
      }),
    },
    (args) => done(JSON.stringify(args)),
  )
}

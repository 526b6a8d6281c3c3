// What `npm run new` writes. Every file compiles, refuses whatever it is asked until it is filled in, and has a test
// that says so.

/** A kind of member, and where its files go. */
export type Kind = Readonly<{
  dir: string
  /** The member's code. */
  code(member: Member): string
  test(member: Member): string
  /** What is left to do beside the two files. */
  next(member: Member): string
}>

/** A member by its names: `per-tx-cap`, `perTxCap`, `per_tx_cap`. A route has a group too. */
export type Member = Readonly<{ file: string; id: string; snake: string; group: string | undefined }>

const TEST_HEAD = `import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
`

/** A decoded action for tests: 1 USDC to a stranger. */
const ACTION = `const action: DecodedAction = {
  protocol: 'erc20',
  chainId: 1,
  wallet: '0x00000000000000000000000000000000000a11ce',
  target: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  selector: '0xa9059cbb',
  legs: [{ kind: 'transfer', venue: 'erc20', spends: [], receives: [], grants: [], deadline: null }],
  touches: [],
  trailingBytes: 0,
}
`

const check: Kind = {
  dir: 'policy/checks',
  code: ({ id, snake }) => `import { defineCheck } from '../check.ts'

/** Says what must hold of an action, in one sentence. */
export const ${id} = defineCheck({
  id: '${snake}',
  field: null,
  run: () => ({ unavailable: '${snake} is not written yet.' }),
})
`,
  test: ({ file, id, snake }) => `${TEST_HEAD}import { ${id} } from '../../../src/policy/checks/${file}.ts'
import type { DecodedAction } from '../../../src/policy/decoded-action.ts'
import { valueAction } from '../../../src/policy/valuation.ts'
import { Policy } from '../../../src/schema/policy.ts'

${ACTION}
describe('${snake}', () => {
  it('passes an action that it should pass', () => {
    const valuation = valueAction(action, {})
    const [result] = ${id}.run({ action, policy: Policy.parse({}), facts: {}, valuation })
    assert.equal(result?.status, 'passed', result?.humanReason)
  })
})
`,
  next: ({ snake }) =>
    `Its failure codes and its place in the order stand in CHECKS of src/schema/check.ts (${snake}).`,
}

const decoder: Kind = {
  dir: 'policy/decoders',
  code: ({ file, id }) => `import { refuse } from '../../lib/result.ts'
import { defineDecoder } from '../decoder.ts'

/** Says which contracts it reads, and where their functions are documented. */
export const ${id} = defineDecoder({
  kind: '${file}',
  decode: () => refuse('${file} is not written yet.'),
})
`,
  test: ({ file, id }) => `${TEST_HEAD}import { refuse } from '../../../src/lib/result.ts'
import { ${id} } from '../../../src/policy/decoders/${file}.ts'

describe('${file}', () => {
  it('reads a call that it should read', () => {
    const call = {
      chainId: 1,
      wallet: '0x00000000000000000000000000000000000a11ce',
      to: '0x000000000000000000000000000000000000beef',
      value: 0n,
      data: '0x',
    } as const
    const decoded = ${id}.decode(call, undefined, () => refuse('nothing is nested'))
    assert.ok(decoded.ok, decoded.ok ? undefined : decoded.reason)
  })
})
`,
  next: ({ file }) => `Its contracts go into src/registry/venues.json with the kind "${file}".`,
}

const tool: Kind = {
  dir: 'harness/tools',
  code: ({ id, snake }) => `import { z } from 'zod'
import { refuse } from '../../lib/result.ts'
import { defineActionTool } from '../tool.ts'

/** Says what it proposes. A tool that only reads is declared by \`defineReadTool\`. */
export const ${id} = defineActionTool({
  name: '${snake}',
  description: 'Proposes what is not written yet.',
  input: z.strictObject({}),
  propose: async () => refuse('${snake} is not written yet.'),
})
`,
  test: ({ file, id, snake }) => `${TEST_HEAD}import { ${id} } from '../../../src/harness/tools/${file}.ts'
import { standInContext } from '../stand-in-reader.ts'

describe('${snake}', () => {
  it('proposes what it is asked for', async () => {
    assert.equal(${id}.kind, 'action')
    const proposal = await ${id}.propose({}, standInContext())
    assert.ok(proposal.ok, proposal.ok ? undefined : proposal.reason)
  })
})
`,
  next: ({ snake }) =>
    `The suite over all tools wants arguments to try it with: ${snake} in test/conformance/tools.test.ts.`,
}

const provider: Kind = {
  dir: 'harness/providers',
  code: ({ file, id }) => `import { CountersignError } from '../../lib/errors.ts'
import { defineDialect } from '../provider.ts'

/** Says whose dialect it is, and where it is documented. Its package is imported here, when it is connected. */
export const ${id} = defineDialect({
  api: '${file}',
  async connect() {
    throw new CountersignError('unavailable', '${file} is not written yet.')
  },
})
`,
  test: ({ file, id }) => `${TEST_HEAD}import { ${id} } from '../../../src/harness/providers/${file}.ts'

describe('${file}', () => {
  it('answers, and ends with one done', async () => {
    const provider = await ${id}.connect({})
    const ends: string[] = []
    const { signal } = new AbortController()
    const messages = [{ role: 'user', text: 'Hello' }] as const
    for await (const event of provider.stream({ model: 'test', system: '', messages, tools: [], signal }))
      if (event.type === 'done') ends.push(event.reason)
    assert.deepEqual(ends, ['stop'])
  })
})
`,
  next: () => 'The suite over all dialects wants its server scripted: test/conformance/providers.test.ts.',
}

const channel: Kind = {
  dir: 'harness/channels',
  code: ({ file, id }) => `import { CountersignError } from '../../lib/errors.ts'
import type { Channel } from '../channel.ts'

/** Says where its people are. Its package is imported here alone. */
export function ${id}(): Channel {
  return {
    name: '${file}',
    account: 'default',
    longest: 4_000,
    paceMs: () => 1_000,
    directWith: (person) => person,
    async start() {
      throw new CountersignError('unavailable', '${file} is not written yet.')
    },
    async send() {
      return { ok: false, why: 'refused', reason: '${file} is not written yet.' }
    },
    async stop() {},
    state: () => ({ ok: false, detail: '${file} is not written yet.' }),
  }
}
`,
  test: ({ file, id }) => `${TEST_HEAD}import { ${id} } from '../../../src/harness/channels/${file}.ts'

describe('${file}', () => {
  it('starts, sends and stops', async () => {
    const channel = ${id}()
    await channel.start(async () => {})
    const sent = await channel.send('conversation', { type: 'working' })
    await channel.stop()
    assert.equal(sent.ok, true)
  })
})
`,
  next: () => 'It is built in src/app.ts, from its settings in src/config.ts.',
}

const source: Kind = {
  dir: 'policy/sources',
  code: ({ file, id }) => `import { CountersignError } from '../../lib/errors.ts'
import type { Source } from '../source.ts'

/** Says which fact it finds, where, and how old it may be. */
export function ${id}(): Source<'prices'> {
  return {
    id: '${file}',
    fact: 'prices',
    timeoutMs: 2000,
    async ask() {
      throw new CountersignError('unavailable', '${file} is not written yet.')
    },
  }
}
`,
  test: ({ file, id }) => `${TEST_HEAD}import { ${id} } from '../../../src/policy/sources/${file}.ts'

describe('${file}', () => {
  it('answers', async () => {
    const { signal } = new AbortController()
    const { value } = await ${id}().ask({ chainId: 1, assets: ['native'], addresses: [], signal })
    assert.ok(value)
  })
})
`,
  next: () => 'It is built where the policy service is: src/policy/index.ts or src/app.ts.',
}

const METHODS: readonly (readonly [verbs: RegExp, method: string])[] = [
  [/^(read|list|probe)-/, 'GET'],
  [/^write-/, 'PUT'],
  [/^(delete|revoke|remove)-/, 'DELETE'],
  [/^/, 'POST'],
]

const route: Kind = {
  dir: 'api/routes',
  code: ({ file, id, group }) => {
    const method = METHODS.find(([verbs]) => verbs.test(file))?.[1]
    return `import { z } from 'zod'
import { CountersignError } from '../../../lib/errors.ts'
import { route } from '../../route.ts'

/** ${method} /api/${group}/${file}: says what it does, and the section that describes it. */
export const ${id} = route({
  operationId: '${id}',
  method: '${method}',
  path: '/api/${group}/${file}',
  summary: 'Is not written yet.',
  auth: 'admin-key',
  scopes: ['transactions:read:any'],
  responses: { 200: z.strictObject({}) },
  errors: ['unavailable'],
}).handle(async () => {
  throw new CountersignError('unavailable', '${id} is not written yet.')
})
`
  },
  test: ({ file, id, group }) => `${TEST_HEAD}import { ${id} } from '../../../../src/api/routes/${group}/${file}.ts'
import type { Surroundings } from '../../../../src/api/services.ts'

describe('${id}', () => {
  it('answers', async () => {
    const parts = { params: {}, query: {}, headers: {}, body: undefined, principal: undefined }
    const request = { ...parts, bodyDigest: '0x' } as const
    const reply = await ${id}.serve(request, {} as Surroundings)
    assert.equal(reply.status, 200)
  })
})
`,
  next: () => 'docs/api.md lists every route.',
}

/** Every kind that `npm run new` knows. */
export const KINDS: ReadonlyMap<string, Kind> = new Map(
  Object.entries({ check, decoder, tool, route, provider, source, channel }),
)

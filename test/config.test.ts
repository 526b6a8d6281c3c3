import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, describe, it } from 'node:test'
import { privateKeyToAddress } from 'viem/accounts'
import { type Config, type ConfigInput, loadConfig, readConfig } from '../src/config.ts'
import { CountersignError } from '../src/lib/errors.ts'

const KEY = `0x${'4c0883a69102937d6231471b5dbb6204fe512961708279f2e3e8a5d4b8e3a1c7'}` as const
const WALLET = privateKeyToAddress(KEY)
const DIRECT = {
  EXECUTION_MODE: 'direct',
  PRIVATE_KEY: KEY,
  WALLET_ADDRESS: WALLET,
  RPC_URL: 'https://node.example/v2/canary-of-the-node',
  DATABASE_URL: 'file:data.sqlite',
}

const read = (env: ConfigInput['env'] = {}, file: unknown = {}): Config => readConfig({ env, file })

/** The message that the start-up ends with. */
function refusal(act: () => unknown): string {
  try {
    act()
  } catch (thrown) {
    assert.ok(thrown instanceof CountersignError, String(thrown))
    assert.equal(thrown.code, 'invalid_request')
    assert.doesNotMatch(thrown.message, /canary|4c0883a6/)
    return thrown.message
  }
  return assert.fail('it was taken')
}

describe('the environment', () => {
  it('can be empty: a dry run in memory on the loopback, with one agent', () => {
    const config = read()
    assert.deepEqual(
      [config.port, config.host, config.mode, config.modeChosen, config.databaseUrl, config.wallet, config.logLevel],
      [4747, '127.0.0.1', 'dry-run', false, undefined, undefined, 'info'],
    )
    assert.deepEqual([config.agents.length, config.agents[0].provider, config.providers], [1, undefined, {}])
    assert.deepEqual([config.chainId, config.webChat, config.publicUrl], [1, true, 'http://localhost:4747/api'])
  })

  it('counts what is empty or blank as not set', () => {
    const names = [
      'PORT',
      'HOST',
      'EXECUTION_MODE',
      'LOG_LEVEL',
      'WALLET_ADDRESS',
      'RPC_URL',
      'DATABASE_URL',
      'PRIVATE_KEY',
      'SERVICE_ADMIN_KEY',
      'SERVICE_API_KEY',
      'CONSOLE_TOKEN',
    ]
    for (const nothing of ['', '  '])
      assert.deepEqual(read(Object.fromEntries(names.map((name) => [name, nothing]))), read())
  })

  it('names the mode in two words, and no other', () => {
    for (const mode of ['dry-run', 'direct'] as const) {
      const config = read({ ...DIRECT, EXECUTION_MODE: mode })
      assert.deepEqual([config.mode, config.modeChosen], [mode, true])
    }
    for (const mode of ['Direct', 'DRY-RUN', 'dryrun', 'live', 'true', '1', 'direct,dry-run'])
      assert.equal(
        refusal(() => read({ ...DIRECT, EXECUTION_MODE: mode })),
        'EXECUTION_MODE must be one of dry-run, direct.',
      )
  })

  for (const missing of ['PRIVATE_KEY', 'RPC_URL', 'WALLET_ADDRESS', 'DATABASE_URL'] as const)
    it(`needs ${missing} for direct execution, and says so`, () => {
      const { [missing]: _, ...rest } = DIRECT
      for (const env of [rest, { ...rest, [missing]: '' }])
        assert.match(
          refusal(() => read(env)),
          new RegExp(`^EXECUTION_MODE=direct signs and sends\\. It needs ${missing}[ .]`),
        )
      assert.equal(read({ ...rest, EXECUTION_MODE: 'dry-run' }).mode, 'dry-run')
    })

  it('names all that is missing at once', () => {
    assert.match(
      refusal(() => read({ EXECUTION_MODE: 'direct' })),
      /It needs PRIVATE_KEY, RPC_URL, WALLET_ADDRESS, DATABASE_URL \(a durable store/,
    )
  })

  it('gives the key to direct execution alone, with or without 0x', () => {
    assert.equal(read(DIRECT).privateKey, KEY)
    assert.equal(read({ ...DIRECT, PRIVATE_KEY: KEY.slice(2) }).privateKey, KEY)
    for (const mode of [undefined, 'dry-run'])
      assert.equal(read({ ...DIRECT, EXECUTION_MODE: mode }).privateKey, undefined)
    for (const wrong of [`${KEY}00`, `${KEY.slice(0, -2)}zz`, `canary ${KEY}`])
      assert.equal(
        refusal(() => read({ ...DIRECT, PRIVATE_KEY: wrong })),
        'PRIVATE_KEY must be 64 hex digits.',
      )
  })

  it('names what is wrong with a port, an address, a node and a level', () => {
    const wrong: readonly (readonly [string, string, RegExp])[] = [
      ['PORT', '65536', /^PORT must be a number from 0 to 65535\.$/],
      ['PORT', '-1', /^PORT/],
      ['PORT', '80.5', /^PORT/],
      ['PORT', 'http', /^PORT/],
      ['WALLET_ADDRESS', '0x12', /^WALLET_ADDRESS must be 0x and 40 hex digits/],
      ['WALLET_ADDRESS', `${WALLET.slice(0, -1)}${WALLET.endsWith('0') ? '1' : '0'}`, /checksum/],
      ['WALLET_ADDRESS', 'vitalik.eth', /^WALLET_ADDRESS/],
      ['RPC_URL', 'wss://node.example/canary', /^RPC_URL must be an http\(s\) address\.$/],
      ['RPC_URL', 'http://', /^RPC_URL/],
      ['RPC_URL', 'node.example', /^RPC_URL/],
      ['LOG_LEVEL', 'verbose', /^LOG_LEVEL must be one of debug, info, warn, error\.$/],
    ]
    for (const [name, value, says] of wrong)
      assert.match(
        refusal(() => read({ [name]: value })),
        says,
      )
  })

  it('comes before the file where both say the port', () => {
    assert.equal(read({ PORT: '1234' }, { port: 4321 }).port, 1234)
    assert.equal(read({}, { port: 4321 }).port, 4321)
    assert.equal(read({ PORT: '0' }, { port: 4321 }).port, 0)
    assert.equal(read({ PORT: '1234' }).publicUrl, 'http://localhost:1234/api')
  })
})

describe('the file', () => {
  it('names each unknown key by its path, wherever it stands', () => {
    const unknown: readonly (readonly [string, object])[] = [
      ['prot', { prot: 1 }],
      ['chain.nmae', { chain: { id: 1, nmae: 'x' } }],
      ['agents.0.modle', { agents: [{ id: 'a', name: 'A', modle: 'x' }] }],
      ['providers.mine.key', { providers: { mine: { api: 'openai-completions', key: 'canary' } } }],
      ['policy.caps.daily', { policy: { caps: { daily: 1 } } }],
      [
        'policy.assets.allow.0.adress',
        { policy: { assets: { allow: [{ chainId: 1, address: 'native', adress: '0x' }] } } },
      ],
      ['service.rateLimit', { service: { rateLimit: 5 } }],
      ['sources.prices.tabel', { sources: { prices: { tabel: {} } } }],
      ['tools.shell', { tools: { shell: true } }],
      ['channels.web.token', { channels: { web: { token: 'canary' } } }],
    ]
    for (const [path, file] of unknown)
      assert.match(
        refusal(() => read({}, file)),
        new RegExp(`^ {2}${path.replaceAll('.', '\\.')}: is not a known field$`, 'm'),
      )
  })

  it('names each wrong value by its path, and what would be right', () => {
    const wrong: readonly (readonly [RegExp, unknown])[] = [
      [/^ {2}port: /m, { port: 70_000 }],
      [/^ {2}chain\.id: expected one of 1, 8453, 42161, 137, 999, 11155111$/m, { chain: { id: 10 } }],
      [/^ {2}chains\.0\.rpcUrl: expected an http\(s\) address$/m, { chains: [{ id: 8453, rpcUrl: 'ftp://x' }] }],
      [/^ {2}agents\.0: is missing/m, { agents: [] }],
      [/^ {2}agents\.0\.id: expected lower-case letters, digits and hyphens$/m, { agents: [{ id: 'A b', name: 'x' }] }],
      [
        /^ {2}agents: every agent needs an id of its own$/m,
        {
          agents: [
            { id: 'a', name: 'x' },
            { id: 'a', name: 'y' },
          ],
        },
      ],
      [
        /^ {2}providers\.x\.api: .*"openai-completions"\|"openai-responses"\|"anthropic-messages"/m,
        { providers: { x: { api: 'other' } } },
      ],
      [/^ {2}policy\.caps\.perTxUsd: /m, { policy: { caps: { perTxUsd: -1 } } }],
      [/^ {2}policy\.recipients\.allow\.0: expected an address/m, { policy: { recipients: { allow: ['0x12'] } } }],
      [/^ {2}service\.approvalTtlSeconds: /m, { service: { approvalTtlSeconds: 1 } }],
      [/^ {2}\(file\): expected object, received array$/m, []],
      [/^ {2}\(file\): expected object, received null$/m, null],
    ]
    for (const [says, file] of wrong)
      assert.match(
        refusal(() => read({}, file)),
        says,
      )
  })

  it('never holds a secret, and never shows the one it holds all the same', () => {
    const instead = /expected \{"env": "<name of an environment variable>"\}: secrets are never written into this file/
    const secret = 'sk-canary-0123456789'
    const files = [
      { providers: { x: { api: 'openai-completions', apiKey: secret } } },
      { providers: { x: { api: 'openai-completions', apiKey: { env: secret } } } },
      { providers: { x: { api: 'openai-completions', apiKey: [secret] } } },
      { channels: { telegram: { accounts: { main: { botToken: secret } } } } },
    ]
    for (const file of files)
      assert.match(
        refusal(() => read({}, file)),
        /secrets are never|expected the name of an environment variable/,
      )
    assert.match(
      refusal(() => read({}, files[0])),
      instead,
    )
  })

  it('names the token of a bot that is not set, and leaves a channel that is switched off alone', () => {
    const account = { accounts: { main: { botToken: { env: 'TELEGRAM_TOKEN' } } } }
    assert.match(
      refusal(() => read({}, { channels: { telegram: account } })),
      /TELEGRAM_TOKEN is not set/,
    )
    assert.equal(read({}, { channels: { telegram: { enabled: false, ...account } } }).webChat, true)
    assert.equal(read({}, { channels: { web: { enabled: false } } }).webChat, false)
  })

  it('hands the bash tool on only where it is switched on', () => {
    const bash = { allow: { commands: ['cat'], paths: [] } }
    assert.equal(read({}, { tools: { bash } }).bash, undefined)
    assert.deepEqual(read({}, { tools: { bash: { ...bash, enabled: true } } }).bash?.allow?.commands, ['cat'])
    assert.match(
      refusal(() => read({}, { tools: { bash: { enabled: true, shell: '/bin/sh' } } })),
      /shell/,
    )
  })

  it('gives an agent the provider that it names, else the first whose key is set', () => {
    const providers = {
      one: { api: 'openai-completions', apiKey: { env: 'ONE_KEY' } },
      two: { api: 'anthropic-messages', apiKey: { env: 'TWO_KEY' } },
    }
    const agents = (provider?: string) => [{ id: 'a', name: 'A', ...(provider && { provider }) }]
    const provider = (env: ConfigInput['env'], named?: string) =>
      read(env, { providers, agents: agents(named) }).agents[0].provider
    assert.equal(provider({ ONE_KEY: 'sk-1', TWO_KEY: 'sk-2' }), 'one')
    assert.equal(provider({ TWO_KEY: 'sk-2' }), 'two')
    assert.equal(provider({ ONE_KEY: 'sk-1', TWO_KEY: 'sk-2' }, 'two'), 'two')
    assert.equal(provider({}), undefined)
    assert.equal(provider({}, 'two'), undefined)
    assert.match(
      refusal(() => provider({ ONE_KEY: 'sk-canary' }, 'two')),
      /provider two, whose key TWO_KEY is not set/,
    )
    for (const env of [{}, { ONE_KEY: 'sk-1' }])
      assert.match(
        refusal(() => provider(env, 'tow')),
        /the agent a names the provider tow, which is not in providers/,
      )
    assert.deepEqual(read({ ONE_KEY: 'sk-1' }, { providers }).providers, {
      one: { api: 'openai-completions', models: [], apiKey: 'sk-1' },
    })
  })

  it('says where the harness trades, and by which node', () => {
    const chains = [
      { id: 8453, rpcUrl: 'https://base.example' },
      { id: 1, rpcUrl: 'https://listed.example' },
    ]
    const named = (env: ConfigInput['env']) => read(env, { chain: { id: 1, name: 'Mine' }, chains }).chains
    assert.deepEqual(named({ RPC_URL: 'https://own.example' }), [
      { id: 1, name: 'Mine', rpcUrl: 'https://own.example' },
      { id: 8453, name: 'Base', rpcUrl: 'https://base.example' },
    ])
    assert.equal(named({})[0]?.rpcUrl, 'https://listed.example')
    assert.deepEqual(read().chains, [{ id: 1, name: 'Ethereum', rpcUrl: undefined }])
  })
})

describe('the file on disk', () => {
  const folder = mkdtempSync(join(tmpdir(), 'countersign-config-'))
  after(() => rmSync(folder, { recursive: true }))
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text)
    return path
  }

  it('is the one that is named', () => {
    assert.equal(loadConfig(['--config', file('good.json', '{"port": 1717}')]).port, 1717)
  })

  it('must be there when it is named, and must be named when that is said', () => {
    assert.match(
      refusal(() => loadConfig(['--config', join(folder, 'none.json')])),
      /none\.json cannot be read\.$/,
    )
    assert.match(
      refusal(() => loadConfig(['--config', folder])),
      /cannot be read\.$/,
    )
  })

  it('is not read where a word of the command is none', () => {
    for (const args of [['--config'], ['service'], ['--rol', 'service'], ['--role'], ['--config', '--role', 'both']])
      assert.equal(
        refusal(() => loadConfig(args)),
        'The command takes --config <file> and --role <service, harness or both>, and nothing else.',
        args.join(' '),
      )
  })

  it('must be JSON; what is said of it repeats nothing that stands in it', () => {
    const broken = [
      '',
      '{',
      '{"a": sk-canary-123}',
      '{"apiKey": "sk-canary-123", }',
      '{"apiKey": "sk-canary-123\n"}',
      "{'canary': 1}",
      '{"a":1} canary',
    ]
    for (const [i, text] of broken.entries())
      assert.match(
        refusal(() => loadConfig(['--config', file(`${i}.json`, text)])),
        /\d\.json is not JSON( \(line \d+ column \d+\))?\.$/,
      )
    assert.match(
      refusal(() => loadConfig(['--config', file('line.json', '{\n  "a": 1,\n}')])),
      /\(line 3 column 1\)\.$/,
    )
  })
})

describe('the role', () => {
  const KEY_OF_SERVICE = { SERVICE_API_KEY: 'an-agent-key-of-a-service-that-is-long' }
  const elsewhere = { service: { url: 'https://verify.example/api/' } }
  const roleOf = (role: string | undefined, file: object = {}, env: ConfigInput['env'] = {}) => {
    const { role: taken, remote, mode, privateKey, webChat } = readConfig({ env, file, role })
    return { role: taken, url: remote?.url, mode, signs: privateKey !== undefined, webChat }
  }

  it('is both by default, and harness where another process decides', () => {
    const idle = { mode: 'dry-run', signs: false, webChat: true }
    assert.deepEqual(roleOf(undefined), { role: 'both', url: undefined, ...idle })
    const harness = { role: 'harness', url: 'https://verify.example/api', ...idle }
    assert.deepEqual(roleOf(undefined, elsewhere, KEY_OF_SERVICE), harness)
    assert.deepEqual(roleOf('harness', elsewhere, KEY_OF_SERVICE), harness)
  })

  it('of a service has no chat, no signer and no other service, whatever else is set', () => {
    const service = { role: 'service', url: undefined, mode: 'dry-run', signs: false, webChat: false }
    assert.deepEqual(roleOf('service'), service)
    assert.deepEqual(roleOf('service', elsewhere, { ...KEY_OF_SERVICE, ...DIRECT }), service)
  })

  it('has to fit the settings', () => {
    const said = (role: string | undefined, file: object, env: ConfigInput['env'] = {}) =>
      refusal(() => readConfig({ env, file, role }))
    assert.match(said('judge', {}), /^--role must be one of service, harness, both\.$/)
    assert.match(said('harness', {}), /needs service\.url/)
    assert.match(said('both', elsewhere, KEY_OF_SERVICE), /service\.url names another/)
    assert.match(said(undefined, elsewhere), /needs SERVICE_API_KEY/)
    assert.match(said(undefined, { service: { url: 'verify.example' } }), /service\.url: expected an http\(s\) address/)
    assert.match(said(undefined, { service: { publicKey: '0x12' } }), /service\.publicKey: expected 0x and 64/)
  })
})

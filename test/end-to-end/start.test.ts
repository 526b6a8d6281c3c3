import assert from 'node:assert/strict'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { toAddress } from '../../src/lib/address.ts'
import { openStorage } from '../../src/storage/index.ts'
import { newAgent, randomHex, transactionOf } from '../storage/fixtures.ts'
import { failedStart, launch, startProduct, temporaryFolder } from '../support/product.ts'
import { startRpcStandIn } from '../support/rpc-stand-in.ts'

let folder: Awaited<ReturnType<typeof temporaryFolder>>
before(async () => {
  folder = await temporaryFolder()
})
after(() => folder.remove())

const cwd = () => folder.path

describe('a start with nothing configured', () => {
  it('serves, says what it is, and ends on SIGTERM without a trace', async () => {
    const product = await startProduct({ cwd: cwd() })
    const health = await product.send('GET', '/health')
    assert.equal(health.status, 200)
    assert.equal((health.body as { status: string }).status, 'ok')
    const ready = await product.send('GET', '/ready')
    assert.deepEqual([ready.status, (ready.body as { status: string }).status], [200, 'ready'])
    const info = await product.send('GET', '/api/')
    assert.deepEqual([info.status, (info.body as { name: string }).name], [200, 'countersign'])
    assert.equal((await product.send('GET', '/api/admin/agents')).status, 401)

    const consoleUrl = /http:\/\/127\.0\.0\.1:\d+\/console\/chat#token=\S+/.exec(product.stdout())?.[0]
    assert.ok(consoleUrl?.startsWith(product.url), product.stdout())
    assert.deepEqual(JSON.parse(readFileSync(join(cwd(), '.countersign', 'console.json'), 'utf8')), {
      origin: product.url,
      token: new URL(consoleUrl ?? '').hash.slice('#token='.length),
    })
    assert.deepEqual(await product.stop(), { code: 0, signal: null })
    assert.ok(!existsSync(join(cwd(), '.countersign', 'console.json')))
    assert.deepEqual(readdirSync(cwd()), ['.countersign'])
    const lines = product
      .stderr()
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { msg: string }).msg)
    assert.equal(lines.filter((line) => line.includes('this is a dry run')).length, 1)
    assert.equal(lines.at(-1), 'Stopping.')
  })

  it('ends on SIGINT too, in the middle of everything', async () => {
    const product = launch({ cwd: cwd() })
    await product.logged(/Ready\./)
    product.child.kill('SIGINT')
    assert.deepEqual(await product.exited, { code: 0, signal: null })
  })

  it('takes settings from .env and a configuration file of the folder', async () => {
    const own = await temporaryFolder()
    writeFileSync(join(own.path, '.env'), 'LOG_LEVEL=debug\nEXECUTION_MODE=dry-run\n')
    writeFileSync(
      join(own.path, 'agents.config.json'),
      '{"service": {"publicUrl": "https://verify.example/api"}, "channels": {"web": {"enabled": false}}}',
    )
    const product = await startProduct({ cwd: own.path })
    assert.equal(product.stdout(), '')
    assert.doesNotMatch(product.stderr(), /EXECUTION_MODE is not set/)
    await product.stop()
    await own.remove()
  })
})

describe('a start that cannot be', () => {
  const key = generatePrivateKey()
  const direct = {
    EXECUTION_MODE: 'direct',
    PRIVATE_KEY: key,
    WALLET_ADDRESS: privateKeyToAddress(key),
    RPC_URL: 'http://127.0.0.1:1/canary',
    DATABASE_URL: 'file:direct.sqlite',
  }

  const wrong: Readonly<Record<string, readonly [env: Record<string, string>, says: RegExp]>> = {
    'an unknown mode': [{ EXECUTION_MODE: 'live' }, /EXECUTION_MODE must be one of dry-run, direct\./],
    'a key that does not control the wallet': [
      { ...direct, WALLET_ADDRESS: `0x${'1'.repeat(40)}` },
      /PRIVATE_KEY does not control WALLET_ADDRESS\./,
    ],
    'a key that is none': [{ ...direct, PRIVATE_KEY: `${'f'.repeat(63)}e` }, /private key must be/],
    'a database of another kind': [
      { DATABASE_URL: 'mysql://root:canary@db.example/x' },
      /DATABASE_URL must be postgres:\/\/…, file:<path> or unset\./,
    ],
    'a database that does not answer': [
      { DATABASE_URL: 'postgres://root:canary@127.0.0.1:1/x' },
      /The database did not answer \(ECONNREFUSED\)\./,
    ],
    'a folder as a database': [{ DATABASE_URL: 'file:/' }, /./],
    'a file that is not there': [{ CONFIG_FILE: 'none.json' }, /none\.json cannot be read\./],
  }
  for (const [name, [env, says]] of Object.entries(wrong))
    it(`says why, in one message: ${name}`, async () => {
      const message = await failedStart({ cwd: cwd(), env })
      assert.match(message, says)
      assert.doesNotMatch(message, /canary/)
      assert.ok(!message.includes(key.slice(2, 20)))
      assert.doesNotMatch(message, /fault of its own/)
    })

  it('says why, in one message: a port that somebody has', async () => {
    const holder = createServer().listen(0, '127.0.0.1')
    await once(holder, 'listening')
    const { port } = holder.address() as AddressInfo
    assert.match(await failedStart({ cwd: cwd(), env: { PORT: String(port) } }), new RegExp(`${port}`))
    holder.close()
  })

  it('says why, in one message: a database file that another process has', async () => {
    const env = { DATABASE_URL: 'file:shared.sqlite' }
    const first = await startProduct({ cwd: cwd(), env })
    assert.match(await failedStart({ cwd: cwd(), env }), /another process|in use|locked/i)
    assert.equal((await first.send('GET', '/ready')).status, 200)
    await first.stop()
    const second = await startProduct({ cwd: cwd(), env })
    assert.deepEqual(await second.stop(), { code: 0, signal: null })
  })

  it('names every key of the file that is wrong', async () => {
    writeFileSync(
      join(cwd(), 'wrong.json'),
      '{"prot": 1, "agents": [{"id": "a", "name": "A", "modle": "x"}], "providers": {"x": {"api": "openai-completions", "apiKey": "sk-canary"}}}',
    )
    const message = await failedStart({ cwd: cwd(), args: ['--config', 'wrong.json'] })
    for (const path of ['prot', 'agents.0.modle', 'providers.x.apiKey'])
      assert.ok(message.includes(`  ${path}: `), message)
    assert.doesNotMatch(message, /canary/)
  })
})

describe('a start over what an earlier process left', () => {
  it('is ready while a signed transaction still waits for its block, and ends when it is told to', async () => {
    const node = await startRpcStandIn()
    node.mining('never')
    const key = generatePrivateKey()
    const wallet = toAddress(privateKeyToAddress(key))
    const path = join(cwd(), 'left.sqlite')
    const storage = await openStorage({ url: `file:${path}` })
    const { agentId } = await newAgent(storage)
    const { requestHash } = await storage.stores.transactions.insert(transactionOf(agentId, wallet, { chainId: 1 }))
    await storage.stores.transactions.move(requestHash, ['PENDING'], 'APPROVED')
    await storage.stores.executions.insert({
      requestHash,
      chainId: 1,
      address: wallet,
      nonce: 0,
      rawTx: '0x02',
      txHash: randomHex(32),
    })
    await storage.close()

    const env = {
      EXECUTION_MODE: 'direct',
      PRIVATE_KEY: key,
      WALLET_ADDRESS: wallet,
      RPC_URL: node.url,
      DATABASE_URL: `file:${path}`,
    }
    const product = await startProduct({ cwd: cwd(), env })
    assert.equal((await product.send('GET', '/ready')).status, 200)
    assert.deepEqual(await product.stop(), { code: 0, signal: null })
    assert.doesNotMatch(product.stderr(), /secret-key-of-the-node/)
    await node.stop()
  })
})

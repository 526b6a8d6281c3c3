import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { chmod, mkdir, readFile, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { temporaryFolder } from '../support/product.ts'

const ROOT = join(import.meta.dirname, '..', '..')

let folder: Awaited<ReturnType<typeof temporaryFolder>>
describe('init and doctor', () => {
  before(async () => {
    folder = await temporaryFolder()
  })
  after(() => folder.remove())

  /** Runs a script in the folder, its answers on standard input. */
  function run(script: string, input = '', env: Readonly<Record<string, string>> = {}) {
    return new Promise<Readonly<{ code: number; out: string }>>((done) => {
      const options = { cwd: folder.path, env: { PATH: process.env['PATH'] ?? '', ...env } }
      const child = execFile(process.execPath, [join(ROOT, 'scripts', script)], options, (error, stdout, stderr) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, out: stdout + stderr }),
      )
      child.stdin?.end(input)
    })
  }

  describe('npm run init', () => {
    it('writes a configuration and an environment that start, with secrets for the owner alone', async () => {
      const { code, out } = await run(
        'init.ts',
        'Bob\nnonsense\nanthropic-messages\n8453\nno\n\n\n50\nx\n100\nclaude\nftp://model\n\n',
      )
      assert.equal(code, 0, out)
      assert.match(out, /One of: anthropic-messages/)
      assert.match(out, /An http\(s\) address\./)
      const config = JSON.parse(await readFile(join(folder.path, 'agents.config.json'), 'utf8')) as Record<
        string,
        never
      >
      assert.deepEqual(config['chain'], { id: 8453 })
      const env = await readFile(join(folder.path, '.env'), 'utf8')
      assert.match(env, /EXECUTION_MODE=dry-run\nANTHROPIC_API_KEY=\n/)
      assert.match(env, /SERVICE_ADMIN_KEY=[\w-]{43}\n/)
      assert.equal((await stat(join(folder.path, '.env'))).mode & 0o077, 0)
    })

    it('replaces nothing unless it is told to, and writes nothing where the answers end', async () => {
      const before_ = await readFile(join(folder.path, '.env'), 'utf8')
      assert.equal((await run('init.ts', '\n')).code, 1)
      assert.equal((await run('init.ts', 'yes\nBob\nnone\n')).code, 1)
      assert.equal(await readFile(join(folder.path, '.env'), 'utf8'), before_)
      assert.equal((await run('init.ts', 'yes\nAda\nnone\n1\n\n\n5\n10\n')).code, 0)
      assert.equal(await readFile(join(folder.path, '.env.bak'), 'utf8'), before_)
    })
  })

  describe('npm run doctor', () => {
    it('says what works and what is missing, and never a secret', async () => {
      const { code, out } = await run('doctor.ts')
      assert.equal(code, 0, out)
      assert.match(out, /✔ mode: dry-run/)
      assert.match(out, /✔ paper: a portfolio that begins with what the wallet has/)
      assert.match(out, /✔ store: a file, reachable/)
      assert.match(out, /· wallet: WALLET_ADDRESS is not set/)
      const env = await readFile(join(folder.path, '.env'), 'utf8')
      for (const [, secret] of env.matchAll(/=([\w-]{43})\n/g)) assert.ok(secret && !out.includes(secret))
    })

    it('names what is dangerous', async () => {
      await chmod(join(folder.path, '.env'), 0o644)
      const policy = { venues: { allow: ['erc20'] } }
      await writeFile(join(folder.path, 'agents.config.json'), JSON.stringify({ policy }))
      const { out } = await run('doctor.ts', '', { HOST: '0.0.0.0' })
      assert.match(out, /! policy: without limits: caps\.perTxUsd, caps\.outflow24hUsd/)
      assert.match(out, /! listener: 0\.0\.0\.0/)
      assert.match(out, /! \.env: others can read it/)
    })

    it('names what does not work, and exits 1', async () => {
      await mkdir(join(folder.path, 'skills', 'broken'), { recursive: true })
      await writeFile(join(folder.path, 'skills', 'broken', 'SKILL.md'), 'x')
      const providers = { p: { api: 'openai-completions', baseUrl: 'http://127.0.0.1:9/v1', models: [{ id: 'm' }] } }
      const tools = { bash: { enabled: true, allow: { commands: ['bash'] } } }
      await writeFile(
        join(folder.path, 'agents.config.json'),
        JSON.stringify({ providers, tools, paper: { balances: { FOO: '1' } } }),
      )
      const { code, out } = await run('doctor.ts', '', { RPC_URL: 'http://127.0.0.1:9/secret-path' })
      assert.equal(code, 1)
      assert.match(out, /✖ node of Ethereum/)
      assert.match(out, /✖ model of main: p/)
      assert.match(out, /✖ bash tool: tools\.bash\.allow\.commands: bash needs bubblewrap/)
      assert.match(out, /✖ skill broken/)
      assert.match(out, /✖ paper: paper\.balances: FOO is no listed token of chain 1/)
      assert.doesNotMatch(out, /secret-path|127\.0\.0\.1:9/)
      await writeFile(join(folder.path, 'agents.config.json'), '{"port": "x"}')
      assert.match((await run('doctor.ts')).out, /✖ configuration: [\s\S]*port/)
    })
  })
})

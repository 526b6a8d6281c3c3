// `npm run simulate` as a person runs it: without network, key or configuration.
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import { play } from '../../scripts/simulate/play.ts'
import { readPrices } from '../../scripts/simulate/prices.ts'
import { readConfig } from '../../src/config.ts'
import { CountersignError } from '../../src/lib/errors.ts'
import type { Policy } from '../../src/schema/policy.ts'
import { temporaryFolder } from '../support/product.ts'
import { volume } from '../support/volume.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const ETH = join(ROOT, 'examples', 'prices', 'eth-usd.csv')
const SMALL = '# three days\ntime,ETH\n2026-01-01,2000\n2026-01-02,2500\n2026-01-03,2000\n'

describe('npm run simulate', () => {
  let folder: Awaited<ReturnType<typeof temporaryFolder>>
  before(async () => {
    folder = await temporaryFolder()
    await writeFile(join(folder.path, 'small.csv'), SMALL)
  })
  after(() => folder.remove())

  /** The command in this process: what it prints, under a policy where one is given. */
  const simulate = (args: readonly string[], policy?: Policy) =>
    play(args, readConfig({ env: {}, file: { policy } }), 90)

  /** As a person starts it. */
  function started(args: readonly string[]): Promise<Readonly<{ code: number; out: string; problem: string }>> {
    return new Promise((done) => {
      const options = { cwd: folder.path, env: { PATH: process.env['PATH'] ?? '' } }
      execFile(process.execPath, [join(ROOT, 'scripts', 'simulate.ts'), ...args], options, (error, out, problem) =>
        done({ code: typeof error?.code === 'number' ? error.code : 0, out, problem }),
      )
    })
  }

  const at = (name: string) => join(folder.path, name)
  const small = () => ['--skill', 'dca', '--prices', at('small.csv')]

  describe('a simulation', () => {
    it('reckons as a person does by hand, draws it, and is the same each time', async () => {
      const args = [...small(), '--balance', 'USDC=100,ETH=1', '--fee-bps', '100', '--html', at('out.html')]
      const out = await simulate(args, { slippage: { maxBps: 300 } })
      // Each day 25 USDC less 1 %: 0.012375, 0.0099 and again 0.012375 ETH, which are 69.30 at 2,000. Each day 280,000 gas
      // at 1 gwei: 0.56, 0.70 and 0.56 at that day's price, and 1.68 of what is left of the ETH at the end.
      assert.match(out, /3 runs: 3 proposed something, 0 did not/)
      assert.match(out, /9 actions: 9 approved, 9 of them filled; 0 not approved/)
      assert.match(out, /at the start \$2,100\.00, at the end \$2,092\.62: -\$7\.38 \(-0\.35 %\)/)
      assert.match(out, /doing nothing \$2,100\.00: \+\$0\.00 \(0\.00 %\)/)
      assert.match(out, /fees \$0\.75, gas \$1\.82/)
      assert.match(out, /holds 25 USDC \(\$25\.00\), 0\.03465 WETH \(\$69\.30\), 0\.99916 ETH \(\$1,998\.32\)/)
      assert.match(out, /^ {5}\$2,604 \| [#.*]/m)
      assert.match(out, /2026-01-01 2026-01-03/)
      const page = await readFile(at('out.html'), 'utf8')
      assert.match(page, /<polyline[^>]*points="8\.0,/)
      assert.match(page, /at the end \$2,092\.62/)
      assert.equal(await simulate(args, { slippage: { maxBps: 300 } }), out)
    })

    it('stops buying when nothing is left, and says so', async () => {
      const out = await simulate([...small(), '--balance', 'USDC=60,ETH=1'])
      assert.match(out, /3 runs: 2 proposed something, 1 did not/)
      assert.match(out, /1 x nothing proposed: Nothing was bought: there is N USDC, and N is needed\./)
    })

    it('goes through the policy: caps of a transaction, and of 24 hours that really pass', async () => {
      const capped = await simulate(small(), { slippage: { maxBps: 300 }, caps: { perTxUsd: 24 } })
      assert.match(capped, /policy: of the configuration; per transaction \$24, in 24 hours without limit/)
      assert.match(capped, /3 x per_tx_cap_exceeded/)
      assert.match(capped, /the skill, against doing nothing: \+\$0\.00/)
      // Every 6 hours 25 dollars, with room for 60 in 24 hours: at 0 and 6 each day, when those of the day before are 24
      // hours old and count no more.
      const rolling = await simulate([...small(), '--schedule', '1 */6 * * *'], {
        slippage: { maxBps: 300 },
        caps: { outflow24hUsd: 60 },
      })
      assert.match(rolling, /12 runs: 12 proposed something/)
      assert.match(rolling, /6 x outflow_24h_exceeded/)
      assert.match(rolling, /18 of them filled/)
    })

    it('runs over the real prices that come with it', async () => {
      const days = volume(20, 90)
      const out = await simulate(['--skill', 'dca', '--days', String(days), '--prices', ETH])
      assert.match(out, days === 90 ? /90 days, 2025-08-03 to 2025-10-31/ : /20 days, 2025-10-12 to 2025-10-31/)
      assert.match(out, new RegExp(`${days * 3} actions: ${days * 3} approved, ${days * 3} of them filled`))
    })

    it('follows the other skills that come with it', async () => {
      await writeFile(at('flat.csv'), 'time,ETH\n2026-01-01,2000\n2026-01-02,2000\n2026-01-03,2000\n')
      const flat = ['--prices', at('flat.csv')]
      const balanced = await simulate(['--skill', 'rebalance', ...flat, '--balance', 'USDC=1000,WETH=0.2,ETH=1'])
      // 400 of 1,400 are in WETH, and 60 % of them are 840: 440 are bought. Then the drift is within the tolerance.
      assert.match(balanced, /holds 560 USDC/)
      assert.match(balanced, /2 x nothing proposed: Balanced\./)
      await writeFile(at('falling.csv'), 'time,ETH\n2026-01-01,1600\n2026-01-02,1400\n2026-01-03,1300\n')
      const falling = ['--prices', at('falling.csv')]
      const stopped = await simulate(['--skill', 'stop-loss', ...falling, '--balance', 'WETH=0.5,ETH=1'])
      assert.match(stopped, /1 x nothing proposed: WETH: above\./)
      assert.match(stopped, /1 x nothing proposed: WETH: sold before\./)
      assert.match(stopped, /697\.9 USDC/)
      const swept = await simulate(['--skill', 'yield-sweep', ...flat, '--balance', 'USDC=700,ETH=1'])
      assert.match(swept, /2 actions: 2 approved, 2 of them filled/)
      assert.match(swept, /2 x nothing proposed: Nothing to do\./)
      const report = await simulate(['--skill', 'portfolio-report', ...flat, '--days', '1'])
      assert.match(report, /1 x nothing proposed: The wallet holds N ETH/)
    })
  })

  describe('the command', () => {
    it('needs no configuration, prints the result, and ends', async () => {
      const { code, out, problem } = await started(['--skill', 'dca', '--prices', 'small.csv'])
      assert.deepEqual([code, problem], [0, ''])
      assert.match(out, /a default, as none is configured/)
      assert.match(out, /9 of them filled/)
    })

    it('says in one line what is wrong', async () => {
      const { code, out, problem } = await started(['--skill', 'none', '--prices', 'small.csv'])
      assert.deepEqual([code, out], [1, ''])
      assert.match(problem, /^--skill: there is no none\. There are: dca, [^\n]*\n$/)
    })

    it('knows each of its words', async () => {
      const cases: readonly (readonly [readonly string[], RegExp])[] = [
        [[], /^--skill: expected the name of a skill/],
        [['--skill', 'dca'], /^--prices: expected a CSV file/],
        [['--skill', 'dca', '--prices', 'none.csv'], /^--prices: the file none\.csv cannot be read\.$/],
        [[...small(), '--days', '4'], /^--days: there are prices of 3 days\.$/],
        [[...small(), '--days', 'x'], /^--days: expected 1 to 9999\.$/],
        [[...small(), '--from', '2026-02-01'], /^--from: the prices are of 2026-01-01 to 2026-01-03\.$/],
        [
          [...small(), '--from', '2026-01-02', '--days', '3'],
          /^--days: from 2026-01-02 on there are prices of 2 days\.$/,
        ],
        [[...small(), '--balance', 'USDC'], /^--balance: expected amounts by symbol/],
        [[...small(), '--from', '2026-02-31'], /^--from: expected a day/],
        [[...small(), '--balance', 'NOPE=1'], /^--balance: NOPE is no listed token of chain 1\.$/],
        [[...small(), '--html', at('none/x.html')], /^--html: the file .*x\.html cannot be written\.$/],
        [[...small(), '--fee-bps', '1.5'], /^--fee-bps: /],
        [[...small(), '--gas-gwei', 'x'], /^--gas-gwei: expected gwei/],
        [[...small(), '--schedule', 'often'], /^--schedule: expected a cron expression/],
        [[...small(), '--timezone', 'Europe/Berlin'], /^--timezone: is for a --schedule/],
        [[...small(), '--model'], /^--model: no model is configured/],
        [[...small(), '--other'], /^Unknown option '--other'.* --help/],
      ]
      for (const [args, message] of cases)
        await assert.rejects(
          simulate(args),
          (thrown) => thrown instanceof CountersignError && message.test(thrown.message),
          args.join(' '),
        )
      assert.match(await simulate(['--help']), /--gas-gwei/)
    })
  })

  describe('recorded prices', () => {
    const problem = (text: string) => {
      try {
        readPrices(text)
      } catch (thrown) {
        return String(thrown)
      }
      return 'none'
    }

    it('are read by their line', () => {
      for (const [text, expected] of [
        ['', /line 1: expected a head/],
        ['date,ETH\n', /line 1: expected a head of "time"/],
        ['time\n2026-01-01', /line 1: /],
        ['time,E H\n', /line 1: "E H" is no symbol/],
        ['time,ETH,ETH\n', /line 1: a symbol stands twice/],
        ['time,ETH\n', /line 2: expected a row/],
        ['# x\ntime,ETH\n2026-01-01,1,2\n', /line 3: expected 2 values, and there are 3/],
        ['time,ETH\n2026-02-30,1\n', /line 2: "2026-02-30" is no time/],
        ['time,ETH\n01.02.2026,1\n', /line 2: "01\.02\.2026" is no time/],
        ['time,ETH\n2026-01-02,1\n2026-01-02,1\n', /line 3: its time is not after/],
        ['time,ETH\n2026-01-01,0.0\n', /line 2: "0\.0" is no price of ETH/],
        ['time,ETH\n2026-01-01,-3\n', /is no price/],
        ['time,ETH\n2026-01-01,1e9\n', /is no price/],
      ] as const)
        assert.match(problem(text), expected, text)
    })

    it('hold from their time on, and not for longer than two days', () => {
      const prices = readPrices('﻿time,ETH\r\n2026-01-01T12:00Z,2000.5\r\n2026-01-02,2100\r\n')
      const price = (time: string) => prices.at('ETH', Date.parse(time))
      assert.equal(price('2026-01-01T11:59:59Z'), undefined)
      assert.equal(price('2026-01-01T12:00:00Z'), 200_050_000_000n)
      assert.equal(price('2026-01-01T23:59:59Z'), 200_050_000_000n)
      assert.equal(price('2026-01-04T00:00:00Z'), 210_000_000_000n)
      assert.equal(price('2026-01-04T00:00:01Z'), undefined)
      assert.equal(prices.at('WBTC', Date.parse('2026-01-02')), undefined)
    })
  })
})

// The paper portfolio: what a fill moves, that it is filled once, that nothing is lost, and that no verdict reads it.
import assert from 'node:assert/strict'
import { afterEach, describe, it } from 'node:test'
import { createPaper } from '../../src/harness/paper.ts'
import { createPaperGate } from '../../src/harness/paper-gate.ts'
import type { Approval } from '../../src/policy/index.ts'
import type { PaperAmount } from '../../src/storage/index.ts'
import { attestor } from '../support/attestor.ts'
import { DAY_MS, FRIEND, type PaperWorld, paperWorld, START } from '../support/paper-world.ts'

const USDC = '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48'
const WETH = '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2'
const E18 = 10n ** 18n

describe('a paper portfolio', () => {
  const open: PaperWorld[] = []
  afterEach(async () => {
    for (const world of open.splice(0)) await world.close()
  })

  async function worldOf(...settings: Parameters<typeof paperWorld>): Promise<PaperWorld> {
    const world = await paperWorld(...settings)
    open.push(world)
    return world
  }

  function amountOf(held: readonly PaperAmount[] | undefined, asset: string, place = 'wallet'): bigint {
    return held?.find((one) => one.place === place && one.asset === asset)?.amount ?? 0n
  }

  /** An approval of a transfer, as the policy gives it. */
  async function approvalOf({ trading, policy }: PaperWorld, amount: bigint): Promise<Approval> {
    const data = `0xa9059cbb${FRIEND.slice(2).padStart(64, '0')}${amount.toString(16).padStart(64, '0')}` as const
    const proposedTx = { protocol: 'erc20', chainId: 1, to: USDC, data, value: '0' } as const
    const request = { escrowAddress: trading.wallet, prompt: 'pay', proposedTx, arbiter: 'policy' } as const
    const { approval, verdict } = await (await policy.submit(trading.principal, request)).decided
    assert.ok(approval, verdict.humanReason)
    return approval
  }

  describe('a fill', () => {
    it('of a swap takes the quote, its fee and gas, and the rights that it used', async () => {
      const world = await worldOf()
      const { told, isError } = await world.use('swap', { sell: 'USDC', buy: 'WETH', amount: '100' })
      assert.equal(isError, false, told)
      assert.match(told, /Filled on paper: -100 USDC, \+0\.0495 WETH, -0\.00018 ETH\. Nothing was sent\./)
      const account = await world.paper.account()
      // 100 USDC less 1 % at 2000 are 0.0495 WETH; two approvals and a swap are 280,000 gas at 1 gwei.
      assert.equal(amountOf(account?.held, USDC), 9_900_000_000n)
      assert.equal(amountOf(account?.held, WETH), 49_500_000_000_000_000n)
      assert.equal(amountOf(account?.held, 'native'), 10n * E18 - 280_000n * 10n ** 9n)
      assert.ok(account?.granted.every(({ amount }) => amount === 0n))
      const fills = await world.paper.fills()
      assert.deepEqual(
        fills.map(({ origin, feeMicroUsd, gasMicroUsd }) => [origin, feeMicroUsd, gasMicroUsd]),
        [
          ['chat', 0n, 100_000n],
          ['chat', 0n, 100_000n],
          ['chat', 1_000_000n, 360_000n],
        ],
      )
    })

    it('of more than there is on paper is refused, and changes nothing', async () => {
      const world = await worldOf({ USDC: '50', ETH: '1' })
      const { told } = await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '51' })
      assert.match(told, /not filled on paper. On paper there is 50 USDC, and this takes 51\./)
      assert.equal((await world.paper.fills()).length, 0)
      assert.equal(
        await world.trading.reader.balance({ address: USDC, chainId: 1, symbol: 'USDC', decimals: 6, stable: true }),
        50_000_000n,
      )
    })

    it('needs the coin that gas is paid in', async () => {
      const world = await worldOf({ USDC: '50' })
      assert.match(
        (await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '1' })).told,
        /0 ETH, and this takes 0\.000055, gas included/,
      )
    })

    it('of a step that fails ends the action', async () => {
      const world = await worldOf({ USDC: '10', ETH: '1' })
      const { told } = await world.use('swap', { sell: 'USDC', buy: 'WETH', amount: '11' })
      assert.match(told, /there is 10 USDC, and this takes 11/)
      const statuses = (await world.trading.reader.history(10)).map(({ status }) => status)
      assert.deepEqual(statuses, ['CANCELLED', 'FILLED ON PAPER', 'FILLED ON PAPER'])
    })

    it('of a deposit, and of all of it taken out again, goes through the venue', async () => {
      const world = await worldOf({ USDC: '500', ETH: '1' })
      assert.match(
        (await world.use('lend_supply', { token: 'USDC', amount: '50%' })).told,
        /-250 USDC, \+250 USDC at the venue|\+250 USDC at the venue/,
      )
      const [deposit] = await world.trading.reader.deposits()
      assert.equal(deposit?.supplied, 250_000_000n)
      const statement = await world.paper.statement()
      assert.ok(statement?.holdings.some(({ place, worth }) => place === deposit?.address && worth === 250_000_000n))
      const back = await world.use('lend_withdraw', { token: 'USDC', amount: '100' })
      assert.match(back.told, /\+100 USDC/)
      assert.equal((await world.trading.reader.deposits())[0]?.supplied, 150_000_000n)
    })

    it('counts against the limits of the day as an execution does', async () => {
      const world = await worldOf({ USDC: '500', ETH: '1' }, { caps: { outflow24hUsd: 100 } })
      assert.match((await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '60' })).told, /Filled on paper/)
      world.moveTo(START + DAY_MS - 1)
      await world.policy.expireApprovals()
      assert.match(
        (await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '60' })).told,
        /outflow_24h_exceeded/,
      )
      world.moveTo(START + DAY_MS + 1)
      assert.match((await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '60' })).told, /Filled on paper/)
    })
  })

  describe('once', () => {
    it('for each approval, however often and at once it is tried', async () => {
      const world = await worldOf()
      const approval = await approvalOf(world, 7_000_000n)
      const all = await Promise.all(Array.from({ length: 10 }, () => world.paper.fill(approval)))
      assert.ok(all.every(({ ok }) => ok))
      assert.equal((await world.paper.fills()).length, 1)
      assert.equal(amountOf((await world.paper.account())?.held, USDC), 9_993_000_000n)
      await world.paper.reset('test')
      assert.ok((await world.paper.fill(approval)).ok)
      assert.equal(amountOf((await world.paper.account())?.held, USDC), 10_000_000_000n)
    })

    it('and only by an approval that stands for these bytes, for this wallet, in its time', async () => {
      const world = await worldOf()
      const approval = await approvalOf(world, 7_000_000n)
      const forged = [
        { ...approval, tx: { ...approval.tx, to: WETH } },
        { ...approval, wallet: FRIEND },
        { ...approval, requestHash: `0x${'1'.repeat(64)}` },
      ] as unknown as readonly Approval[]
      for (const one of forged) assert.equal((await world.paper.fill(one)).ok, false)
      world.moveTo(START + DAY_MS)
      const late = await world.paper.fill(approval)
      assert.ok(!late.ok && /expired/.test(late.reason))
      assert.equal((await world.paper.fills()).length, 0)
    })
  })

  describe('in direct mode', () => {
    it('there is no paper', async () => {
      const { storage, trading } = await worldOf()
      const owner = { wallet: trading.wallet, chainId: 1, mode: 'dry-run' } as const
      const settings = { storage, owner, reader: trading.reader, publicKey: attestor.publicKey }
      assert.throws(() => createPaper({ ...settings, mode: 'direct' }), /in dry-run alone/)
    })

    it('what was executed is handed on, and nothing is filled', async () => {
      const filled: unknown[] = []
      const executed = { mode: 'direct', ok: true, status: 'mined', txHash: `0x${'a'.repeat(64)}` } as const
      const gate = createPaperGate(
        { execute: async () => executed },
        { fill: async (approval) => (filled.push(approval), { ok: true, value: '' }) },
      )
      const world = await worldOf()
      assert.deepEqual(await gate.execute(await approvalOf(world, 1n)), executed)
      assert.deepEqual(filled, [])
    })
  })

  it('a verdict is the same whatever is on paper', async () => {
    const judged = async (balances: Record<string, string>, before: boolean) => {
      const world = await worldOf(balances, { slippage: { maxBps: 200 }, exposure: { perProtocolUsd: { aave: 100 } } })
      if (before) await world.use('wrap', { amount: '1' })
      const { verdict } = await (
        await world.policy.submit(world.trading.principal, {
          escrowAddress: world.trading.wallet,
          prompt: 'x',
          proposedTx: (await approvalOf(world, 5n)).tx,
          arbiter: 'policy',
        })
      ).decided
      const facts = { ...(verdict.evidence.observations['facts'] as Record<string, unknown>) }
      delete facts['outflow24h']
      return { ...verdict, latencyMs: 0, evidence: { ...verdict.evidence, observations: facts } }
    }
    const rich = await judged({ USDC: '1000000', ETH: '1000' }, true)
    assert.deepEqual(await judged({ USDC: '0.000001', ETH: '0' }, false), rich)
  })

  describe('the statement', () => {
    it('gives each skill what it made against doing nothing, and all of it adds up', async () => {
      const world = await worldOf({ USDC: '1000', ETH: '1' })
      await world.use('swap', { sell: 'USDC', buy: 'WETH', amount: '100' }, () => 'schedule dca')
      world.moveTo(START + DAY_MS)
      await world.use('swap', { sell: 'USDC', buy: 'WETH', amount: '50' }, () => 'skill rebalance')
      await world.use('transfer', { token: 'USDC', to: FRIEND, amount: '10' })
      const statement = await world.paper.statement()
      assert.ok(statement)
      const profits = Object.fromEntries(statement.origins.map(({ origin, profit }) => [origin, profit]))
      // dca: 0.0495 WETH at 2500 are 123.75, for 100; 0.00028 ETH of gas are 0.70.
      assert.equal(profits['dca'], 23_050_000n)
      // rebalance: 50 less 1 % is 49.50 at once; the same gas.
      assert.equal(profits['rebalance'], -1_200_000n)
      assert.equal(profits['chat'], -10_137_500n)
      assert.equal(statement.worth - statement.hold, 23_050_000n - 1_200_000n - 10_137_500n)
      assert.equal(statement.hold, 3_500_000_000n)
      assert.equal(statement.start, 3_000_000_000n)
      assert.deepEqual(
        statement.days.map(({ day, fills }) => [day, fills]),
        [
          ['2026-01-01', 3],
          ['2026-01-02', 4],
        ],
      )
      const changes = statement.days.reduce((sum, { profit }) => sum + profit, 0n)
      assert.equal(changes, statement.worth - statement.start)
    })

    it('is told in chat with a picture, and begun anew by owners alone', async () => {
      const world = await worldOf()
      const said: { type: string; text?: string; png?: string }[] = []
      const say = (text: string, isOwner = false) =>
        world.harness.receive(
          'web',
          { id: `${said.length} ${text}`, conversation: 'c', sender: 'p', text, isOwner },
          async (out) => void said.push(out),
        )
      await say('swap 100 USDC for WETH')
      await say('/paper')
      const text = said.map((one) => one.text ?? '').join('\n')
      assert.match(
        text,
        /Paper portfolio since 2026-01-01T00:00:00\.000Z: \$29,998\.44, -\$1\.56 since then; doing nothing: \+\$0\.00\./,
      )
      assert.match(text, /chat: -\$1\.56 in 3 fills \(fees \$1\.00, gas \$0\.56\)/)
      assert.match(text, /2026-01-01: -\$1\.56 to \$29,998\.44, 3 fills/)
      assert.ok(said.some(({ type, png }) => type === 'picture' && (png?.length ?? 0) > 100))
      await say('/paper reset')
      assert.match(said.map((one) => one.text ?? '').join('\n'), /Only an owner/)
      await say('/paper reset', true)
      assert.match(said.map((one) => one.text ?? '').join('\n'), /has ended/)
      assert.equal((await world.paper.fills()).length, 0)
    })
  })
})

// The validator on a real chain: steps that run after each other, tokens that misbehave, pools that are thin.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { after, before, describe, it } from 'node:test'
import {
  type Address,
  encodeDeployData,
  encodeFunctionData,
  type Hex,
  maxUint256,
  numberToHex,
  parseAbi,
  zeroAddress,
} from 'viem'
import { addresses } from '../../scripts/local-chain/addresses.ts'
import { readArtifact } from '../../scripts/local-chain/artifacts.ts'
import { type LocalChain, startLocalChain } from '../../scripts/local-chain/index.ts'
import { addV2, addV3, addV4 } from '../../scripts/local-chain/liquidity.ts'
import { createSender, type Sender } from '../../scripts/local-chain/sender.ts'
import { createChains } from '../../src/chain/index.ts'
import { toAddress } from '../../src/lib/address.ts'
import { inspect } from '../../src/policy/operations/inspect.ts'
import { sanctions } from '../../src/policy/sources/sanctions.ts'
import { tokenIdentity } from '../../src/policy/sources/token-identity.ts'
import { usdPrice } from '../../src/policy/sources/usd-price.ts'
import { validatorOf } from '../../src/process/validation.ts'
import { ValidationRequest } from '../../src/schema/validation.ts'
import type { Validator } from '../../src/validation/index.ts'
import {
  type Encoded,
  erc20Approve,
  erc20Transfer,
  srExactInputSingle,
  srMulticallDeadline,
  srV2In,
  swapRouter02,
  universalRouter,
} from '../support/encode.ts'
import { poolKey, urV4, v4InSingle, v4SettleAll, v4TakeAll } from '../support/encode-v4.ts'
import { createWallet, type Wallet } from './wallet.ts'

const PAYEE = '0x00000000000000000000000000000000deadbeef'
const LEGITIMACY = 'legal_compliance.token_legitimacy'
const MEV = 'adversarial_detection.mev_risky_parameters'
const TOKEN = parseAbi([
  'function mint(address to, uint256 amount)',
  'function transfer(address to, uint256 amount)',
  'function pause()',
  'function unpause()',
])
const ETHER = 10n ** 18n
const { tokens, uniswap } = addresses
const usdc = (units: number) => BigInt(Math.round(units * 1e6))
const soon = () => BigInt(Math.floor(Date.now() / 1000) + 600)

let chain: LocalChain
let sender: Sender
let validator: Validator
let wallet: Wallet

before(async () => {
  chain = await startLocalChain()
  sender = await createSender(chain.request)
  const deps = { chains: createChains([{ id: 1, name: 'Ethereum', rpcUrl: chain.rpcUrl }]), now: () => new Date() }
  const sources = [usdPrice(deps), tokenIdentity(deps), sanctions({ ...deps, maxAgeDays: 0 })]
  validator = validatorOf({
    ...deps,
    policy: { inspect: (tx, from) => inspect({ sources }, tx, from) },
    model: undefined,
  })
  wallet = createWallet(chain)
  await chain.fund(wallet.address, { native: 10n * ETHER, tokens: { USDC: usdc(10_000), WETH: ETHER } })
})
after(() => chain?.stop())

async function validate(human_intent: string, ...txs: readonly Pick<Encoded, 'to' | 'data' | 'value'>[]) {
  const transactions = txs.map(({ to, data, value }) => ({ to: to.toLowerCase(), data, value }))
  const proposed_tx = { chainId: 1, from: wallet.address.toLowerCase(), transactions }
  const answer = await validator.validate(ValidationRequest.parse({ human_intent, proposed_tx }))
  const { decision, primary_failure_node: node, reason, results } = answer
  return { outcome: [decision, node], reason, details: (id: string) => results[id]?.details ?? {} }
}

async function deploy(
  abi: Parameters<typeof encodeDeployData>[0]['abi'],
  bytecode: Hex,
  args: readonly unknown[],
): Promise<Address> {
  const data = encodeDeployData({ abi, bytecode, args })
  const from = addresses.liquidityProvider
  const receipt = (await chain.request('eth_sendTransactionSync', [{ from, data, gas: numberToHex(12_000_000) }])) as {
    contractAddress: Address
  }
  return receipt.contractAddress
}

/** OpenZeppelin's token that its minter can pause, as it came with Uniswap's contracts. */
async function pausable(): Promise<Address> {
  const uniswap = createRequire(createRequire(import.meta.url).resolve('@uniswap/swap-router-contracts/package.json'))
  const file = uniswap.resolve('@openzeppelin/contracts/build/contracts/ERC20PresetMinterPauser.json')
  const { abi, bytecode } = JSON.parse(readFileSync(file, 'utf8')) as ReturnType<typeof readArtifact>
  return deploy(abi, bytecode, ['Pausable', 'HALT'])
}

const call = (functionName: 'pause' | 'unpause') => encodeFunctionData({ abi: TOKEN, functionName })
const give = (token: Address, functionName: 'mint' | 'transfer', amount: bigint) =>
  sender.send(token, encodeFunctionData({ abi: TOKEN, functionName, args: [wallet.address, amount] }))

describe('steps', () => {
  const trade = (amountIn: bigint, min: bigint) =>
    swapRouter02(
      srMulticallDeadline({
        deadline: soon(),
        calls: [
          srExactInputSingle({
            tokenIn: tokens.USDC,
            tokenOut: tokens.WETH,
            fee: 500,
            recipient: wallet.address,
            limit: 0n,
            amountIn,
            min,
          }),
        ],
      }),
    )
  const approve = (amount: bigint) => erc20Approve({ token: tokens.USDC, spender: uniswap.swapRouter02, amount })

  it('see what those before them did: a trade runs on the approval before it', async () => {
    const words = 'swap 300 USDC for WETH'
    const min = (ETHER * 98n) / 1000n
    const both = await validate(words, approve(usdc(300)), trade(usdc(300), min))
    assert.deepEqual(both.outcome, ['PASS', null], both.reason)
    assert.equal(both.details(LEGITIMACY)['steps'], 2)
    const alone = await validate(words, trade(usdc(300), min))
    assert.deepEqual(alone.outcome, ['REJECT', LEGITIMACY])
    assert.match(alone.reason, /does not run/)
    const tooMuch = await validate('swap 30000 USDC for WETH', approve(usdc(30_000)), trade(usdc(30_000), min * 100n))
    assert.match(tooMuch.reason, /^Step 2 of it does not run/)
  })

  it('that ask for another amount are told so, though they would not run', async () => {
    const { outcome, reason } = await validate(
      'swap 100 USDC for WETH',
      approve(usdc(20_000)),
      trade(usdc(20_000), (ETHER * 66n) / 10n),
    )
    assert.deepEqual(outcome, ['REJECT', 'intent_alignment.amount_matching'])
    assert.equal(reason, 'You said 100 USDC, and it is 20000 USDC.')
  })
})

describe('a token', () => {
  const send = (token: Address, amount: bigint) =>
    validate(`send 5 of the token ${token.toLowerCase()} to ${PAYEE}`, erc20Transfer({ token, to: PAYEE, amount }))

  it('that is listed and moves as it should passes', async () => {
    const transfer = erc20Transfer({ token: tokens.USDC, to: PAYEE, amount: usdc(5) })
    const { outcome, reason, details } = await validate(`send 5 USDC to ${PAYEE}`, transfer)
    assert.deepEqual(outcome, ['PASS', null], reason)
    assert.deepEqual(details(LEGITIMACY), { simulated: true, steps: 1, transfers: 2 })
  })

  it('that keeps a part of each transfer is found by what arrives', async () => {
    const { abi, bytecode } = readArtifact('@uniswap/v2-periphery/build/DeflatingERC20.json')
    const token = await deploy(abi, bytecode, [1_000n * ETHER])
    await give(token, 'transfer', 100n * ETHER)
    const { outcome, reason } = await send(token, 5n * ETHER)
    assert.deepEqual(outcome, ['REJECT', LEGITIMACY])
    assert.match(reason, /^Of 5 DTT only 4\.95 DTT arrives: the token keeps a part\.$/)
  })

  it('that is paused is found by its refusal, sent or lent out, and passes again when it moves', async () => {
    const token = await pausable()
    await give(token, 'mint', 100n * ETHER)
    const spender = uniswap.permit2
    const approval = () =>
      validate(
        `approve 5 of token ${token.toLowerCase()} for Permit2`,
        erc20Approve({ token, spender, amount: 5n * ETHER }),
      )
    const [moving, lent] = [await send(token, 5n * ETHER), await approval()]
    assert.deepEqual(
      [moving.outcome, lent.outcome],
      [
        ['PASS', null],
        ['PASS', null],
      ],
      `${moving.reason} ${lent.reason}`,
    )
    await sender.send(token, call('pause'))
    const [paused, stuck] = [await send(token, 5n * ETHER), await approval()]
    assert.deepEqual(
      [paused.outcome, stuck.outcome],
      [
        ['REJECT', LEGITIMACY],
        ['REJECT', LEGITIMACY],
      ],
    )
    assert.match(paused.reason, /does not run: The call reverted: .*paused/)
    assert.match(stuck.reason, /HALT cannot be passed on: .*paused/)
    await sender.send(token, call('unpause'))
    assert.deepEqual((await send(token, 5n * ETHER)).outcome, ['PASS', null])
  })
})

describe('a pool', () => {
  type Trade = Pick<Encoded, 'to' | 'data' | 'value'>

  before(async () => {
    const thin = [
      { token: tokens.USDC, amount: usdc(3_000) },
      { token: tokens.WETH, amount: ETHER },
    ] as const
    await addV2(sender, { token: tokens.DAI, amount: 3_000n * ETHER }, thin[0])
    await addV3(sender, ...thin, 10_000, 200)
    await addV4(sender, ...thin, 10_000, 200)
  })

  const v2 = (amountIn: bigint, min: bigint, out: Address): Trade =>
    swapRouter02(
      srMulticallDeadline({
        deadline: soon(),
        calls: [srV2In({ recipient: wallet.address, amountIn, min, path: [tokens.USDC, out] })],
      }),
    )
  const v3 = (amountIn: bigint, min: bigint, fee: number): Trade => {
    const pool = { tokenIn: tokens.USDC, tokenOut: tokens.WETH, fee, recipient: wallet.address, limit: 0n }
    return swapRouter02(
      srMulticallDeadline({ deadline: soon(), calls: [srExactInputSingle({ ...pool, amountIn, min })] }),
    )
  }
  const v4 = (amount: bigint, limit: bigint, fee: number, tickSpacing: number): Trade => {
    const pool = poolKey(tokens.USDC, tokens.WETH, fee, tickSpacing, zeroAddress)
    const swap = v4InSingle({ version: '2.0', pool, zeroForOne: true, amount, limit })
    const actions = urV4(
      swap,
      v4SettleAll({ token: tokens.USDC, max: amount }),
      v4TakeAll({ token: tokens.WETH, min: limit }),
    )
    return universalRouter({ version: '2.0', commands: [actions], deadline: soon() })
  }

  it('deep enough lets a trade pass, and says how far it moves it', async () => {
    await wallet.send(
      tokens.USDC,
      erc20Approve({ token: tokens.USDC, spender: uniswap.swapRouter02, amount: maxUint256 }).data,
    )
    const deep = await validate('swap 120 USDC for WETH', v3(usdc(120), (ETHER * 393n) / 10_000n, 500))
    assert.deepEqual(deep.outcome, ['PASS', null], deep.reason)
    assert.deepEqual(deep.details(MEV)['pools'], [{ pool: toAddress(addresses.pools.v3UsdcWeth500), impactBps: 1 }])
    const pair = await validate('swap 120 USDC for WETH', v2(usdc(120), (ETHER * 393n) / 10_000n, tokens.WETH))
    assert.deepEqual(pair.outcome, ['PASS', null], pair.reason)
    assert.deepEqual(pair.details(MEV)['pools'], [{ pool: toAddress(addresses.pools.v2UsdcWeth), impactBps: 1 }])
  })

  it('that is thin is rejected with the figure, of v2, v3 and v4', async () => {
    const least = (ETHER * 380n) / 10_000n
    const approvals = [
      erc20Approve({ token: tokens.USDC, spender: uniswap.permit2, amount: maxUint256 }),
      { to: uniswap.permit2, data: permit2Approval() },
    ]
    for (const { to, data } of approvals) await wallet.send(to, data)
    // 120 in against 3,000: filled 1 - 3,000 / 3,120 = 3.85 % below the price, of what is left after the fee.
    const thin = {
      v2: await validate('swap 120 USDC for DAI', v2(usdc(120), 114n * ETHER, tokens.DAI)),
      v3: await validate('swap 120 USDC for WETH', v3(usdc(120), least, 10_000)),
      v4: await validate('swap 120 USDC for WETH', v4(usdc(120), least, 10_000, 200)),
    }
    for (const [kind, { outcome, reason, details }] of Object.entries(thin)) {
      assert.deepEqual(outcome, ['REJECT', MEV], `${kind}: ${reason}`)
      assert.match(reason, /is thin: the trade is filled 3\.8\d % below its price, and 3 % is the most/, kind)
      const pools = details(MEV)['pools']
      assert.ok(Array.isArray(pools) && pools.length === 1, kind)
    }
    const small = await validate('swap 30 USDC for WETH', v4(usdc(30), (ETHER * 97n) / 10_000n, 10_000, 200))
    assert.deepEqual(small.outcome, ['PASS', null], small.reason)
  })

  function permit2Approval(): Hex {
    const abi = parseAbi(['function approve(address token, address spender, uint160 amount, uint48 expiration)'])
    const args = [tokens.USDC, uniswap.universalRouter20, 2n ** 160n - 1n, 2 ** 48 - 1] as const
    return encodeFunctionData({ abi, functionName: 'approve', args })
  }
})

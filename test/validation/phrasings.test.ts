// What people might write, each beside a transaction that does it or does not, labelled by hand: slips, odd numbers, other
// orders of words, second thoughts, conditions, questions, and words that speak to whoever checks.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ProposedTx } from '../../src/schema/action.ts'
import { ValidationRequest } from '../../src/schema/validation.ts'
import { createValidator, type Model, type Surroundings } from '../../src/validation/index.ts'
import { lyingReader } from '../support/intent-corpus/lying-reader.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import type { Tx } from '../support/intent-corpus/transactions.ts'
import { TOKENS, WALLET, WETH } from '../support/intent-corpus/world.ts'

type Phrasing = Readonly<{
  decision: 'PASS' | 'REJECT'
  human_intent: string
  proposed_tx: Readonly<{ chainId: number; transactions?: readonly Tx[] } & Partial<Tx>>
}>

const FILE = join(import.meta.dirname, '..', 'vectors', 'intent', 'phrasings.jsonl')
const phrasings = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Phrasing)

const [USDC, , DAI] = TOKENS
/** What the wallet has: 1,000 USDC, 500 DAI, 2 WETH and 4 ETH. */
const HELD: ReadonlyMap<string, bigint> = new Map([
  [USDC.address, 1_000_000_000n],
  [DAI?.address ?? '', 500n * 10n ** 18n],
  [WETH.address, 2n * 10n ** 18n],
  ['native', 4n * 10n ** 18n],
])
const balanceOf: Surroundings['balanceOf'] = async (_chain, _wallet, asset) => HELD.get(asset)
const validator = createValidator({ ...corpusSurroundings(), balanceOf })

async function decide({ human_intent, proposed_tx }: Phrasing, by = validator): Promise<string> {
  const { decision } = await by.validate(ValidationRequest.parse({ human_intent, proposed_tx }))
  return decision
}

/** Models that take each word of a request for whatever the transaction does. */
async function liarsFor({ human_intent, proposed_tx }: Phrasing): Promise<readonly Model[]> {
  const { chainId, transactions = [], to, data, value } = proposed_tx
  const tx = ProposedTx.safeParse({ protocol: 'evm', chainId, to, data, value, ...transactions.at(-1) })
  const inspected = tx.success ? await corpusSurroundings().inspect(tx.data, WALLET) : undefined
  if (!inspected?.ok) return []
  const action = inspected.value
  return [...new Set(human_intent.toLowerCase().match(/\p{L}+/gu))].map((verb) => lyingReader(action, verb))
}

describe('words of people', () => {
  it('are many, and of both kinds', () => {
    const passing = phrasings.filter(({ decision }) => decision === 'PASS').length
    assert.ok(passing > 150 && phrasings.length - passing > 250, `${passing} of ${phrasings.length}`)
  })

  for (const decision of ['REJECT', 'PASS'] as const)
    it(`end in ${decision} where they should`, async () => {
      const labelled = phrasings.filter((one) => one.decision === decision)
      const decided = await Promise.all(labelled.map(async (one) => [one.human_intent, await decide(one)] as const))
      assert.deepEqual(
        decided.filter(([, given]) => given !== decision).map(([words]) => words),
        [],
      )
    })

  it('end in REJECT where they should, whichever of them a model takes for whatever the transaction does', async () => {
    let asked = 0
    const counted = ({ ask }: Model): Model => ({
      async ask(question) {
        if (question.system.includes('"verb"')) asked++
        return ask(question)
      },
    })
    for (const one of phrasings.filter(({ decision }) => decision === 'REJECT'))
      for (const model of await liarsFor(one)) {
        const liar = createValidator({ ...corpusSurroundings(counted(model)), balanceOf })
        assert.equal(await decide(one, liar), 'REJECT', one.human_intent)
      }
    assert.ok(asked > 50, `asked ${asked} times`)
  })
})

// The labelled corpus: what is broken never passes, with no model and with models that lie.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { ProposedTx } from '../../src/schema/action.ts'
import { ValidationRequest, ValidationResponse } from '../../src/schema/validation.ts'
import { createValidator, type Model } from '../../src/validation/index.ts'
import { corpusOf, type LabelledPair } from '../support/intent-corpus/corpus.ts'
import { lyingReader, withoutVerbs } from '../support/intent-corpus/lying-reader.ts'
import { corpusSurroundings } from '../support/intent-corpus/surroundings.ts'
import { WALLET } from '../support/intent-corpus/world.ts'

const FILE = join(import.meta.dirname, '..', 'vectors', 'intent', 'corpus.jsonl')
const SEED = 2_026
const pairs = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as LabelledPair)
const broken = pairs.filter(({ expected }) => expected.decision === 'REJECT')
const aligned = pairs.filter(({ expected }) => expected.decision === 'PASS')

const saying = (answer: string): Model => ({ ask: async () => answer })
const APPROVER = saying('{"status":"PASS","confidence":1,"reasoning":"It is all as it should be."}')
const REJECTER = saying('{"status":"FAIL","confidence":1,"reasoning":"I do not like it."}')

/** Reads the last step of a pair, as it is proposed, into any words. */
async function liarFor({ proposed_tx }: LabelledPair): Promise<Model | undefined> {
  const last = proposed_tx.transactions?.at(-1) ?? proposed_tx
  const { inspect } = corpusSurroundings()
  const tx = ProposedTx.safeParse({ protocol: 'evm', chainId: 1, to: last.to, data: last.data, value: last.value })
  const inspected = tx.success ? await inspect(tx.data, WALLET) : undefined
  return inspected?.ok ? lyingReader(inspected.value) : undefined
}

function validate({ human_intent, proposed_tx }: LabelledPair, model?: Model) {
  const request = ValidationRequest.parse({ human_intent, proposed_tx })
  return createValidator(corpusSurroundings(model)).validate(request)
}

describe('the corpus of labelled pairs', () => {
  it('is large, half broken, and what its generator makes', () => {
    assert.ok(pairs.length >= 2_000)
    assert.equal(aligned.length, broken.length)
    assert.deepEqual(pairs, JSON.parse(JSON.stringify(corpusOf(SEED))))
  })

  it('is decided without a model: nothing broken passes, and the cause is named', async () => {
    const answers = await Promise.all(pairs.map(async (pair) => [pair, await validate(pair)] as const))
    const falsePasses = answers.filter(
      ([{ expected }, { decision }]) => expected.decision === 'REJECT' && decision === 'PASS',
    )
    assert.deepEqual(
      falsePasses.map(([{ id, family }]) => `${id}: ${family}`),
      [],
    )
    const right = answers.filter(([{ expected }, { decision }]) => decision === expected.decision)
    assert.ok(right.length >= 0.99 * pairs.length, `${right.length} of ${pairs.length} decisions are right`)
    const named = answers.filter(([{ expected }, one]) => one.primary_failure_node === expected.node)
    assert.ok(named.length >= 0.97 * pairs.length, `${named.length} of ${pairs.length} causes are right`)
    for (const [, answer] of answers) {
      assert.equal(answer.llm_calls, 0)
      assert.equal(Object.keys(answer.results).length, 18)
      ValidationResponse.parse(answer)
    }
  })

  it('lets nothing broken pass where a model approves of everything', async () => {
    for (const pair of broken) {
      const { decision, llm_calls } = await validate(pair, APPROVER)
      assert.deepEqual([decision, llm_calls], ['REJECT', 0], `${pair.id}: ${pair.family}`)
    }
    const answers = await Promise.all(aligned.slice(0, 50).map((pair) => validate(pair, APPROVER)))
    for (const { decision, llm_calls } of answers) assert.deepEqual([decision, llm_calls], ['PASS', 5])
  })

  it('lets nothing broken pass where a model reads into the words whatever the transaction does', async () => {
    let read = 0
    for (const pair of broken)
      for (const human_intent of [pair.human_intent, withoutVerbs(pair.human_intent)]) {
        const { decision, context } = await validate({ ...pair, human_intent }, await liarFor(pair))
        if (context['readByModel'] !== null) read++
        assert.equal(decision, 'REJECT', `${pair.id}: ${pair.family}: ${human_intent}`)
      }
    assert.ok(read >= 300, `asked for ${read} readings`)
  })

  it('is rejected by a model that rejects everything, and its nodes say so', async () => {
    for (const pair of aligned.slice(0, 50)) {
      const { decision, primary_failure_node, results } = await validate(pair, REJECTER)
      assert.equal(decision, 'REJECT')
      const failed = Object.entries(results).flatMap(([id, { status }]) => (status === 'FAIL' ? [id] : []))
      assert.deepEqual(failed.sort(), [
        'adversarial_detection.consistency_analysis',
        'adversarial_detection.intent_manipulation',
        'adversarial_detection.parameter_manipulation',
        'intent_alignment.element_matching',
        'intent_alignment.requirement_compliance',
      ])
      assert.ok(failed.includes(primary_failure_node ?? ''))
    }
  })
})

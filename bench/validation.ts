// npm run bench:validation: the labelled corpus through the validator, without a model, by family of what is broken.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { ValidationRequest } from '../src/schema/validation.ts'
import { createValidator } from '../src/validation/index.ts'
import type { LabelledPair } from '../test/support/intent-corpus/corpus.ts'
import { corpusSurroundings } from '../test/support/intent-corpus/surroundings.ts'
import { duration, quantile } from './measure.ts'

const FILE = join(import.meta.dirname, '..', 'test', 'vectors', 'intent', 'corpus.jsonl')
const WARM_UP = 300

const pairs = readFileSync(FILE, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as LabelledPair)
const validator = createValidator(corpusSurroundings())
const requestOf = ({ human_intent, proposed_tx }: LabelledPair) =>
  ValidationRequest.parse({ human_intent, proposed_tx })

for (const pair of pairs.slice(0, WARM_UP)) await validator.validate(requestOf(pair))

type Row = { pairs: number; 'right decisions': number; 'right causes': number; 'false passes': number }
const table: Record<string, Row> = {}
const times: number[] = []
for (const pair of pairs) {
  const request = requestOf(pair)
  const began = performance.now()
  const { decision, primary_failure_node: node } = await validator.validate(request)
  times.push(performance.now() - began)
  for (const family of [pair.family, 'all']) {
    const row = (table[family] ??= { pairs: 0, 'right decisions': 0, 'right causes': 0, 'false passes': 0 })
    row.pairs++
    if (decision === pair.expected.decision) row['right decisions']++
    if (node === pair.expected.node) row['right causes']++
    if (decision === 'PASS' && pair.expected.decision === 'REJECT') row['false passes']++
  }
}
console.table(table)
console.log(`Latency without a model: p50 ${duration(quantile(times, 0.5))}, p99 ${duration(quantile(times, 0.99))}`)

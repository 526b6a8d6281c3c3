import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { CountersignError } from '../../src/lib/errors.ts'
import type { FactName } from '../../src/policy/facts.ts'
import { gather } from '../../src/policy/gather.ts'
import type { AnySource, Question, Source } from '../../src/policy/source.ts'
import { question } from './sources/contracts.ts'

const OBSERVED = new Date('2026-11-21T12:00:00Z')
const asked = question({})

function outflow(ask: Source<'outflow24h'>['ask'], timeoutMs = 1_000): Source<'outflow24h'> {
  return { id: 'ledger', fact: 'outflow24h', timeoutMs, ask }
}

function prices(ask: Source<'prices'>['ask'], timeoutMs = 1_000): Source<'prices'> {
  return { id: 'feeds', fact: 'prices', timeoutMs, ask }
}

async function outflowOf(source: Source<'outflow24h'>, about: Question = asked) {
  const { outflow24h } = await gather(['outflow24h'], [source], about)
  assert.ok(outflow24h)
  return outflow24h
}

async function reasonOf(source: Source<'outflow24h'>, about: Question = asked): Promise<string> {
  const fact = await outflowOf(source, about)
  assert.ok(fact.status === 'unavailable', JSON.stringify(fact))
  assert.equal('value' in fact, false)
  return fact.reason
}

describe('gathering facts', () => {
  test('asks the named sources alone, all at once', async () => {
    const log: string[] = []
    const both = Promise.withResolvers<void>()
    const ask = (name: string) => async () => {
      log.push(name)
      if (log.length === 2) both.resolve()
      await both.promise
      return { value: name === 'prices' ? {} : { microUsd: '5' }, observedAt: OBSERVED }
    }
    const never = () => assert.fail('was not asked for')
    const sources: readonly AnySource[] = [
      prices(ask('prices') as Source<'prices'>['ask']),
      outflow(ask('outflow') as Source<'outflow24h'>['ask']),
      { id: 'identities', fact: 'tokens', timeoutMs: 1_000, ask: never },
      { id: 'lists', fact: 'sanctions', timeoutMs: 1_000, ask: never },
    ]
    assert.deepEqual(await gather(['outflow24h', 'prices', 'prices'], sources, asked), {
      outflow24h: { status: 'fresh', source: 'ledger', observedAt: OBSERVED.toISOString(), value: { microUsd: '5' } },
      prices: { status: 'fresh', source: 'feeds', observedAt: OBSERVED.toISOString(), value: {} },
    })
    assert.deepEqual(log.sort(), ['outflow', 'prices'])
  })

  test('every fact has its place', async () => {
    const all: readonly FactName[] = ['tokens', 'prices', 'sanctions', 'outflow24h', 'positions']
    const down = () => Promise.reject(new CountersignError('unavailable', 'Down.'))
    const sources = all.map((fact) => ({ id: `of ${fact}`, fact, timeoutMs: 100, ask: down }) as AnySource)
    const facts = await gather(all, sources, asked)
    for (const name of all) {
      assert.deepEqual(facts[name], { status: 'unavailable', source: `of ${name}`, reason: 'Down.' })
    }
  })

  test('a fact that no source carries is left out', async () => {
    assert.deepEqual(await gather(['prices', 'tokens'], [], asked), {})
  })

  test('an answer that was read before is cached', async () => {
    const fact = await outflowOf(
      outflow(async () => ({ value: { microUsd: '1' }, observedAt: OBSERVED, cached: true })),
    )
    assert.equal(fact.status, 'cached')
  })
})

describe('a source that fails', () => {
  test('one that hangs is not waited for, is told to stop, and holds up no other', async () => {
    const stopped = Promise.withResolvers<boolean>()
    const hanging = outflow(({ signal }) => {
      signal.addEventListener('abort', () => stopped.resolve(true))
      return new Promise(() => undefined)
    }, 30)
    const quick = prices(async () => ({ value: {}, observedAt: OBSERVED }))
    const facts = await gather(['outflow24h', 'prices'], [hanging, quick], asked)
    assert.deepEqual(facts.outflow24h, {
      status: 'unavailable',
      source: 'ledger',
      reason: 'There was no answer within 30 ms.',
    })
    assert.equal(facts.prices?.status, 'fresh')
    assert.equal(await stopped.promise, true)
  })

  test('one that answers too late, or fails too late, is not heard', async () => {
    const late = Promise.withResolvers<never>()
    const answer = { value: { microUsd: '0' }, observedAt: OBSERVED }
    const pending = new Promise<typeof answer>((resolve) => setTimeout(resolve, 60, answer))
    assert.match(await reasonOf(outflow(() => pending, 20)), /within 20 ms/)
    assert.match(await reasonOf(outflow(() => late.promise, 20)), /within 20 ms/)
    late.reject(new Error('too late to matter'))
    await pending
  })

  test('one that throws before it waits is no different', async () => {
    const throwing = outflow(() => {
      throw new CountersignError('unavailable', 'The ledger is locked.')
    })
    assert.equal(await reasonOf(throwing), 'The ledger is locked.')
  })

  test('its reason is short and names no address of a server', async () => {
    const told = (message: string) =>
      reasonOf(outflow(() => Promise.reject(new CountersignError('unavailable', message))))
    assert.equal(await told('At https://node.example/v2/key?a=b it is over.'), 'At (address) it is over.')
    assert.equal((await told('x'.repeat(5_000))).length, 200)
    const foreign = (thrown: unknown) => reasonOf(outflow(() => Promise.reject(thrown as Error)))
    for (const thrown of [
      new Error('connect ECONNREFUSED node.example:8545'),
      'https://node.example',
      null,
      undefined,
      {},
    ]) {
      assert.equal(await foreign(thrown), 'The source failed.')
    }
  })

  test('an answer without a date or without a body is none', async () => {
    const answers: readonly unknown[] = [
      undefined,
      null,
      {},
      { value: {} },
      { value: {}, observedAt: new Date(Number.NaN) },
    ]
    for (const answer of answers) {
      const ask = (() => Promise.resolve(answer)) as Source<'outflow24h'>['ask']
      assert.equal(await reasonOf(outflow(ask)), 'The source failed.')
    }
  })

  test('nobody waits once the asker has gone', async () => {
    const gone = new AbortController()
    const hanging = reasonOf(
      outflow(() => new Promise(() => undefined)),
      { ...asked, signal: gone.signal },
    )
    gone.abort()
    assert.equal(await hanging, 'Nobody waits for the answer any more.')
    const already = reasonOf(
      outflow(() => new Promise(() => undefined)),
      { ...asked, signal: gone.signal },
    )
    assert.equal(await already, 'Nobody waits for the answer any more.')
  })
})

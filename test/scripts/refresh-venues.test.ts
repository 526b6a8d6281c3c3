import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { refreshVenues } from '../../scripts/refresh-venues.ts'

const A = '0x00000000000000000000000000000000000000a1'
const B = '0x00000000000000000000000000000000000000b2'
const router = { chainId: 1, address: A, venue: 'uniswap', kind: 'router', version: '2.0' } as const
const file = (...contracts: readonly object[]) => ({ asOf: '2026-01-01', source: 'packages', contracts })

describe('refreshing the venues', () => {
  test('changes nothing, not even the date, where the packages say the same', () => {
    const { text, differences } = refreshVenues(file(router), [router], '2026-02-02')
    assert.deepEqual(JSON.parse(text), file(router))
    assert.deepEqual(differences, [])
  })

  test('moves an address, adds a chain, and names both', () => {
    const published = [{ ...router, address: B } as const, { ...router, chainId: 8453 }]
    const { text, differences } = refreshVenues(file(router), published, '2026-02-02')
    assert.deepEqual(JSON.parse(text), { ...file(...published), asOf: '2026-02-02' })
    assert.deepEqual(differences, [`chain 1, router 2.0: ${A} is now ${B}`, `chain 8453, router 2.0: new at ${A}`])
  })

  test('keeps what was proven by hand, and what no package names, and adds nothing that no decoder reads', () => {
    const proven = { ...router, kind: 'safe', source: 'its own' }
    const lost = { ...router, kind: 'lost' }
    const published = [{ ...proven, address: B, source: undefined } as never, { ...router, version: '3.0' }]
    const { text, differences } = refreshVenues(file(proven, lost), published, '2026-02-02')
    assert.deepEqual(JSON.parse(text), file(proven, lost))
    assert.deepEqual(differences, [`chain 1, lost 2.0: in no package, kept at ${A}`])
  })
})

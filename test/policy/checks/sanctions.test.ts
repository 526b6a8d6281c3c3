import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { sanctions } from '../../../src/policy/checks/sanctions.ts'
import { addressesOf } from '../../../src/policy/source.ts'
import { Policy } from '../../../src/schema/policy.ts'
import {
  decoded,
  FRIEND,
  OBSERVED_AT,
  permitAndSwap,
  STRANGER,
  swap,
  unavailable,
  WALLET,
} from '../../support/actions.ts'
import { eachCase } from './run-check.ts'

const action = decoded(swap({ to: FRIEND }))
const screened = addressesOf(action)
const screening = (value: { screened: readonly (typeof FRIEND)[]; hits: readonly (typeof FRIEND)[] }) => ({
  sanctions: { status: 'fresh', source: 'sanctions', observedAt: OBSERVED_AT, value } as const,
})

describe('sanctions', () => {
  it('is always on', () => {
    assert.deepEqual(sanctions.needs({ action, policy: Policy.parse({}) }), ['sanctions'])
  })

  eachCase(sanctions, [
    { name: 'nobody', action, expected: { status: 'passed', says: `None of ${screened.length} addresses` } },
    {
      name: 'the recipient: names it, and no policy field',
      action,
      facts: screening({ screened, hits: [FRIEND] }),
      expected: {
        status: 'failed',
        code: 'sanctioned_address',
        says: 'Sanctioned: 0x0000000000000000000000000000000000F41e4D.',
      },
    },
    {
      name: 'several: names all',
      action,
      facts: screening({ screened, hits: [FRIEND, WALLET] }),
      expected: { status: 'failed', code: 'sanctioned_address', says: /F41e4D, 0x0{35}a11cE\.$/i },
    },
    {
      name: 'a source that is down',
      action,
      facts: { sanctions: unavailable('sanctions') },
      expected: { status: 'failed', code: 'data_unavailable', says: 'sanctions is unavailable: There was no answer' },
    },
    {
      name: 'no source at all',
      action,
      facts: { sanctions: undefined },
      expected: { status: 'failed', code: 'data_unavailable', says: 'No source of sanctions is configured.' },
    },
    {
      name: 'an answer that leaves out an address of the action',
      action,
      facts: screening({ screened: screened.filter((address) => address !== FRIEND), hits: [] }),
      expected: {
        status: 'failed',
        code: 'data_unavailable',
        says: '0x0000000000000000000000000000000000F41e4D were not screened',
      },
    },
    {
      name: 'an empty answer',
      action,
      facts: screening({ screened: [], hits: [] }),
      expected: { status: 'failed', code: 'data_unavailable', says: 'were not screened' },
    },
    {
      name: 'once for an action of several legs',
      tx: permitAndSwap(STRANGER),
      expected: { status: 'passed', says: 'None of' },
    },
  ])

  it('asks about everybody: sender, target, tokens, payers, receivers, spenders and what else is touched', () => {
    const asked = addressesOf({
      ...decoded(permitAndSwap(STRANGER, { to: FRIEND })),
      touches: ['0x00000000000000000000000000000000000000cc'],
    })
    for (const address of [WALLET, STRANGER, FRIEND, '0x00000000000000000000000000000000000000cc', ...screened])
      if (address !== '0x68b3465833fb72a70ecdf485e0e4c7bd8665fc45')
        assert.ok(
          asked.some((one) => one === address),
          address,
        )
  })
})

import { checksumAddress } from '../../lib/address.ts'
import { defineCheck } from '../check.ts'
import { known, whyMissing } from '../facts.ts'
import { addressesOf } from '../source.ts'

/** No address that the action touches may be sanctioned. Always on. */
export const sanctions = defineCheck({
  id: 'sanctions',
  field: null,
  needs: () => ['sanctions'],
  run({ action, facts }) {
    const screening = known(facts.sanctions)
    if (!screening) return { unavailable: `Sanctions could not be screened. ${whyMissing('sanctions', facts)}` }
    if (screening.hits.length > 0)
      return { failed: 'sanctioned_address', reason: `Sanctioned: ${screening.hits.map(checksumAddress).join(', ')}.` }
    const screened = new Set(screening.screened)
    const missed = addressesOf(action).find((address) => !screened.has(address))
    if (missed) return { unavailable: `Sanctions of ${checksumAddress(missed)} were not screened.` }
    return { passed: `None of ${screening.screened.length} addresses is sanctioned.` }
  },
})

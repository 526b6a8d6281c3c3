import { checksumAddress } from '../../lib/address.ts'
import { defineCheck } from '../check.ts'
import { known, whyMissing } from '../facts.ts'

/** No address that the action touches may be sanctioned. Always on. */
export const sanctions = defineCheck({
  id: 'sanctions',
  field: null,
  needs: () => ['sanctions'],
  run({ facts }) {
    const screening = known(facts.sanctions)
    if (!screening) return { unavailable: `Sanctions could not be screened. ${whyMissing('sanctions', facts)}` }
    if (screening.hits.length > 0)
      return { failed: 'sanctioned_address', reason: `Sanctioned: ${screening.hits.map(checksumAddress).join(', ')}.` }
    return { passed: `None of ${screening.screened.length} addresses is sanctioned.` }
  },
})

// `npm run simulate`: runs a skill over recorded prices, through the policy as it is, and says what came of it.
import { loadConfig } from '../src/config.ts'
import { CountersignError, messageOf } from '../src/lib/errors.ts'
import { play } from './simulate/play.ts'

const WIDTH = 90

// Whatever the environment says: nothing is signed here, and no key is read.
process.env['EXECUTION_MODE'] = 'dry-run'

try {
  process.stdout.write(await play(process.argv.slice(2), loadConfig([]), process.stdout.columns ?? WIDTH))
  process.exit(0)
} catch (thrown) {
  const known = thrown instanceof CountersignError
  process.stderr.write(`${known ? messageOf(thrown) : `The simulation met a fault of its own: ${messageOf(thrown)}`}\n`)
  process.exit(1)
}

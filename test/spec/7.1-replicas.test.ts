// A process of several that is killed: what it had taken on is decided by the others, once each.
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { payment, type SpecService, startSpecService } from '../support/spec-service.ts'
import { volume } from '../support/volume.ts'

const SUBMISSIONS = volume(40, 90)
const CAP_USD = 100
/** Twenty dollars, of which five fit. */
const WEI = 10n ** 16n
const FRIEND = '0x00000000000000000000000000000000000f121e'

// A database of one process has nobody who could take anything up before it is started again.
if (process.env['TEST_BASE_URL'] === undefined)
  describe('a process that dies beside two others on a PostgreSQL server', () => {
    let service: SpecService
    before(async () => {
      service = await startSpecService('a PostgreSQL server', 3)
    })
    after(() => service?.stop())

    it('leaves nothing undecided that it answered for', async (t) => {
      const { wallet, key } = await service.newAgent({
        recipients: { allow: [FRIEND] },
        caps: { outflow24hUsd: CAP_USD },
      })
      const doomed = service.processes[2] ?? assert.fail('three processes')
      const answered = new Set<string>()
      const post = async () => {
        const body = { escrowAddress: wallet, prompt: 'p', proposedTx: payment(FRIEND, WEI) }
        const answer = await service.send('POST', '/transactions', { key, body, replica: 2 }).catch(() => undefined)
        if (answer === undefined) return
        assert.equal(answer.status, 201, answer.text)
        answered.add(String(answer.body['requestHash']))
        // As soon as one is answered: most are somewhere on their way.
        if (answered.size === 1) doomed.child.kill('SIGKILL')
      }
      await Promise.all(Array.from({ length: SUBMISSIONS }, post))
      await doomed.exited
      const { items } = (await service.send('GET', '/transactions?limit=100', { key })).body as {
        items: readonly Readonly<{ requestHash: string; status: string }>[]
      }
      const undecided = items.filter(({ status }) => status === 'PENDING').length
      const hashes = [...new Set([...answered, ...items.map(({ requestHash }) => requestHash)])]
      const verdicts = await Promise.all(hashes.map((hash) => service.verdictOn(hash, key)))
      const approved = verdicts.filter(({ outcome }) => outcome === 'approved').length
      assert.ok(approved <= 5, `${approved} approved`)
      for (const { outcome, reasonCode } of verdicts)
        assert.ok(outcome === 'approved' || reasonCode === 'outflow_24h_exceeded', reasonCode)
      t.diagnostic(
        `${hashes.length} were stored, ${answered.size} of them answered, ${undecided} left undecided by the kill`,
      )
    })
  })

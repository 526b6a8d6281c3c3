import { TransactionRecord } from '../../../schema/action.ts'
import { DEFAULT_PAGE_SIZE, PageQuery, pageOf } from '../../../schema/page.ts'
import { callerOf } from '../../caller.ts'
import { route } from '../../route.ts'

/**
 * GET /transactions. By it a client finds out what became of a submission that was not answered (specification 7.1): the
 * `requestHash` of a record binds its `id` to the bytes that were sent.
 */
export const listTransactions = route({
  operationId: 'listTransactions',
  method: 'GET',
  path: '/api/transactions',
  summary: "List one's own submissions, newest first.",
  auth: 'api-key',
  scopes: ['transactions:read:own', 'verdicts:create:own', 'transactions:create:own'],
  query: PageQuery,
  responses: { 200: pageOf(TransactionRecord) },
  errors: [],
}).handle(async ({ query: { limit = DEFAULT_PAGE_SIZE, cursor }, principal }, { policy }) => ({
  status: 200,
  body: await policy.listSubmissions(callerOf(principal), { limit, cursor }),
}))

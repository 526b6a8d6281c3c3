import { AuditEntry } from '../../../schema/audit-entry.ts'
import { DEFAULT_PAGE_SIZE, PageQuery, pageOf } from '../../../schema/page.ts'
import { route } from '../../route.ts'

/** GET /admin/audit (contract section 3). */
export const listAudit = route({
  operationId: 'listAudit',
  method: 'GET',
  path: '/api/admin/audit',
  summary: 'List the hash-chained audit log.',
  auth: 'admin-key',
  scopes: ['transactions:read:any'],
  query: PageQuery,
  responses: { 200: pageOf(AuditEntry) },
  errors: [],
}).handle(async ({ query: { limit = DEFAULT_PAGE_SIZE, cursor } }, { audit }) => {
  const { items, nextCursor } = await audit.list({ limit, cursor })
  return { status: 200, body: { items, nextCursor } }
})

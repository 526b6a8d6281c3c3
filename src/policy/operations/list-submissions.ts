import type { TransactionRecord } from '../../schema/action.ts'
import type { Page, PageRequest } from '../../storage/index.ts'
import type { PolicyDeps } from '../operation.ts'
import { type Principal, READ_SCOPES, requireScope } from '../principal.ts'
import { recordOf } from '../record.ts'

/** What was submitted for the principal's wallet or by its agent, newest first. */
export async function listSubmissions(
  { storage }: PolicyDeps,
  principal: Principal,
  page: PageRequest,
): Promise<Page<TransactionRecord>> {
  requireScope(principal, READ_SCOPES)
  const whose = whoseOf(principal)
  if (whose === undefined) return { items: [], nextCursor: null }
  const { items, nextCursor } = await storage.stores.transactions.list({ ...page, ...whose })
  return { items: items.map(recordOf), nextCursor }
}

function whoseOf({ wallet, agentId, scopes }: Principal) {
  if (wallet !== undefined) return { wallet: wallet.address, chainId: wallet.chainId }
  if (agentId !== null) return { agentId }
  return scopes.includes('transactions:read:any') ? {} : undefined
}

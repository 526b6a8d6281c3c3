import { BacktestReport, BacktestRequest } from '../../../schema/backtest.ts'
import { WalletPath } from '../../policy-version.ts'
import { route } from '../../route.ts'

/** POST /admin/policies/{walletAddress}/backtest (contract section 3). Nothing is stored. */
export const backtestPolicy = route({
  operationId: 'backtestPolicy',
  method: 'POST',
  path: '/api/admin/policies/:walletAddress/backtest',
  summary: 'What a draft policy would have decided on the recorded actions of a wallet.',
  auth: 'admin-key',
  scopes: ['policies:read:any'],
  params: WalletPath,
  body: BacktestRequest,
  responses: { 200: BacktestReport },
  errors: ['not_found'],
}).handle(async ({ params, body }, { policy }) => ({
  status: 200,
  body: await policy.backtest(params.walletAddress, body),
}))

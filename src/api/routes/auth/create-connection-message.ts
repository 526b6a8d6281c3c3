import { MessageRequest, MessageToSign } from '../../../schema/user.ts'
import { approvalStatement } from '../../approval-statement.ts'
import { ConnectionPath } from '../../connection-path.ts'
import { route } from '../../route.ts'

/** POST /auth/connect/requests/{requestId}/message: the message whose signature approves this request and nothing else. */
export const createConnectionMessage = route({
  operationId: 'createConnectionMessage',
  method: 'POST',
  path: '/api/auth/connect/requests/:requestId/message',
  summary: 'Get the message that approves a connection request when a wallet signs it.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  params: ConnectionPath,
  body: MessageRequest,
  responses: { 200: MessageToSign },
  errors: ['gone'],
}).handle(async ({ params: { requestId }, body: { walletAddress, chainId } }, { identity }) => {
  const { clientName, scopes } = await identity.connections.read(requestId)
  const statement = approvalStatement(clientName ?? 'An unnamed program', scopes)
  const message = await identity.signIn.message({
    purpose: `connect ${requestId}`,
    address: walletAddress,
    chainId,
    statement,
  })
  return { status: 200, body: { message } }
})

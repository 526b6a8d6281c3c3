import { MessageRequest, MessageToSign } from '../../../schema/user.ts'
import { route } from '../../route.ts'

/** POST /auth/siwe/message: for whoever does not build an EIP-4361 message of their own. */
export const createSignInMessage = route({
  operationId: 'createSignInMessage',
  method: 'POST',
  path: '/api/auth/siwe/message',
  summary: 'Get a complete sign-in message for a wallet to sign.',
  auth: 'none',
  scopes: [],
  limit: 'auth',
  body: MessageRequest,
  responses: { 200: MessageToSign },
  errors: [],
}).handle(async ({ body: { walletAddress, chainId } }, { identity }) => {
  const statement = 'Sign in to countersign. This approves no transaction and costs nothing.'
  const message = await identity.signIn.message({ purpose: 'sign-in', address: walletAddress, chainId, statement })
  return { status: 200, body: { message } }
})

import { ValidationRequest, ValidationResponse } from '../../../schema/validation.ts'
import { route } from '../../route.ts'

/** POST /validate of the validation interface (specification 4.5). A rejection is a 200 with the decision REJECT. */
export const validateIntent = route({
  operationId: 'validateIntent',
  method: 'POST',
  path: '/validation/validate',
  summary: 'Whether a transaction does what a person asked for.',
  auth: 'api-key',
  openWhen: 'validationIsPublic',
  scopes: ['verdicts:create:own', 'transactions:create:own'],
  invalidAs: 'unprocessable',
  body: ValidationRequest,
  responses: { 200: ValidationResponse },
  errors: ['unprocessable', 'unavailable'],
}).handle(async ({ body }, { validator }) => ({ status: 200, body: await validator.validate(body) }))

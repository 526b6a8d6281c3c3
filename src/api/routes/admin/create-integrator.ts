import { IssuedIntegrator, NewIntegrator } from '../../../schema/integrator.ts'
import { route } from '../../route.ts'

/** POST /admin/integrators (contract section 3). The only time that its first key is shown. */
export const createIntegrator = route({
  operationId: 'createIntegrator',
  method: 'POST',
  path: '/api/admin/integrators',
  summary: 'Register an integrator, with a first integration key.',
  auth: 'admin-key',
  scopes: ['integrators:write:any'],
  body: NewIntegrator,
  responses: { 201: IssuedIntegrator },
  errors: [],
}).handle(async ({ body, principal }, { integrators }) => ({
  status: 201,
  body: await integrators.register(body, principal),
}))

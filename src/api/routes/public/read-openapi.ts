import { z } from 'zod'
import { route } from '../../route.ts'

/** GET /openapi.json (contract section 1). */
export const readOpenapi = route({
  operationId: 'readOpenapi',
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'This document.',
  auth: 'none',
  scopes: [],
  responses: { 200: z.looseObject({ openapi: z.string() }) },
  errors: [],
}).handle(async (_, { document }) => ({ status: 200, body: document }))

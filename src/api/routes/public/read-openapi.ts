import { z } from 'zod'
import type { OpenApi } from '../../openapi-document.ts'
import { route } from '../../route.ts'

/** GET /openapi.json (contract section 1). */
export const readOpenapi = route({
  operationId: 'readOpenapi',
  method: 'GET',
  path: '/api/openapi.json',
  summary: 'This document.',
  auth: 'none',
  scopes: [],
  cacheSeconds: 300,
  responses: { 200: z.looseObject({ openapi: z.string() }) },
  errors: [],
}).handle(async (_, { document }) => ({ status: 200, body: document(), text: textOf(document()) }))

/** It is large, and the same for as long as the process lives. */
const texts = new WeakMap<OpenApi, string>()
function textOf(document: OpenApi): string {
  const text = texts.get(document) ?? JSON.stringify(document)
  texts.set(document, text)
  return text
}

import { z } from 'zod'
import { ERROR_CODES, type ErrorCode } from '../lib/errors.ts'
import { Problem } from '../schema/problem.ts'
import { PROBLEM_TYPE } from './error-body.ts'
import type { JsonSchema, OpenApi } from './openapi-document.ts'
import { limitOf } from './rate-limit.ts'
import type { Route } from './route.ts'

type Components = Map<string, JsonSchema>

/**
 * The OpenAPI document of all routes. Components are the schemas that have an id.
 *
 * @param publicUrl address of the API as clients see it, which ends in `/api`
 */
export function openapi(routes: readonly Route[], version: string, publicUrl: string): OpenApi {
  const components: Components = new Map()
  const paths: Record<string, Record<string, JsonSchema>> = {}
  for (const route of routes) {
    const operations = (paths[templateOf(route.path)] ??= {})
    operations[route.method.toLowerCase()] = operationOf(route, components)
  }
  return {
    openapi: '3.1.0',
    info: { title: 'countersign', version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: publicUrl.replace(/\/api\/?$/, '') || '/' }],
    paths,
    components: {
      schemas: Object.fromEntries([...components].sort(([a], [b]) => (a < b ? -1 : 1))),
      securitySchemes: {
        apiKey: { type: 'apiKey', in: 'header', name: 'x-api-key' },
        appId: { type: 'apiKey', in: 'header', name: 'x-app-id' },
        accessToken: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' },
      },
    },
  }
}

/** The routes in one line each, such as `GET /api/agents/{id}`. */
export function endpointsOf(routes: readonly Route[]): readonly string[] {
  return routes.map(({ method, path }) => `${method} ${templateOf(path)}`)
}

/** `/agents/:id` → `/agents/{id}`. */
function templateOf(path: string): string {
  return path.replace(/:(\w+)/g, '{$1}')
}

function operationOf(route: Route, components: Components): JsonSchema {
  const parameters = [
    ...parametersOf('path', route.params, components),
    ...parametersOf('query', route.query, components),
    ...parametersOf('header', route.headers, components),
  ]
  return {
    operationId: route.operationId,
    summary: route.summary,
    tags: [tagOf(route)],
    ...(route.scopes.length === 0 ? {} : { description: `Needs the scope ${route.scopes.join(' or ')}.` }),
    security: SECURITY[route.auth],
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(route.body === undefined
      ? {}
      : {
          requestBody: {
            required: !route.body.safeParse(undefined).success,
            content: jsonOf(schemaOf(route.body, 'input', components)),
          },
        }),
    responses: { ...problemsOf(route, components), ...repliesOf(route, components) },
  }
}

const SECURITY = {
  none: [],
  'api-key': [{ apiKey: [] }],
  'admin-key': [{ apiKey: [] }],
  'integration-key': [{ appId: [], apiKey: [] }],
  user: [{ accessToken: [] }, { apiKey: [] }],
} as const

/** The interface that a route belongs to: its folder. */
function tagOf({ path, auth }: Route): string {
  if (path.startsWith('/validation/')) return 'validation'
  if (path.startsWith('/api/admin/')) return 'admin'
  if (path.startsWith('/api/integrator/')) return 'partner'
  if (/^\/api\/(auth|user-api-keys|wallets)(\/|$)/.test(path)) return 'auth'
  return auth === 'none' ? 'public' : 'agent'
}

function parametersOf(place: 'path' | 'query' | 'header', schema: z.ZodObject | undefined, components: Components) {
  return Object.entries<z.ZodType>(schema?.shape ?? {}).map(([name, member]) => ({
    name,
    in: place,
    required: place === 'path' || !z.safeParse(member, undefined).success,
    schema: schemaOf(member, 'input', components),
  }))
}

function repliesOf(route: Route, components: Components): JsonSchema {
  return Object.fromEntries(
    Object.entries(route.responses).map(([status, schema]) => [
      status,
      schema instanceof z.ZodUndefined
        ? { description: 'Done.' }
        : {
            description: route.summary,
            content: { [mediaTypeOf(route)]: { schema: schemaOf(schema, 'output', components) } },
          },
    ]),
  )
}

function problemsOf(route: Route, components: Components): JsonSchema {
  const byStatus = Map.groupBy(errorsOf(route), (code) => ERROR_CODES[code])
  const content = { [PROBLEM_TYPE]: { schema: schemaOf(Problem, 'output', components) } }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      { description: codes.map((code) => `\`${code}\``).join(', '), content },
    ]),
  )
}

/** Media type of a route's answers, without parameters. */
function mediaTypeOf({ textType = 'application/json' }: Route): string {
  return textType.split(';')[0] ?? textType
}

/** Every error a route may answer: those of its form, and those of its own work. */
export function errorsOf(route: Route): readonly ErrorCode[] {
  const form: ErrorCode[] = [
    'invalid_request',
    'payload_too_large',
    'unsupported_media_type',
    'internal',
    'unavailable',
  ]
  const caller: ErrorCode[] = route.auth === 'none' ? [] : ['unauthenticated', 'insufficient_scope']
  const limited: ErrorCode[] = limitOf(route) === 'none' ? [] : ['rate_limited']
  return [...new Set([...form, ...caller, ...limited, ...route.errors])]
}

function jsonOf(schema: JsonSchema): JsonSchema {
  return { 'application/json': { schema } }
}

/** The JSON Schema of a zod schema, with all that has an id moved to the components. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const {
    $schema: _,
    $defs,
    ...root
  } = pointed(z.toJSONSchema(schema, { io, unrepresentable: 'any', override: asWritten }))
  for (const [id, definition] of Object.entries(($defs ?? {}) as Record<string, JsonSchema>)) {
    const known = components.get(nameOf(id))
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(definition))
      throw new TypeError(`Two different schemas are called ${nameOf(id)}.`)
    components.set(nameOf(id), definition)
  }
  return root
}

// A text that is lower-cased on the way in is described by what may be written, on the way out too. And what is
// read-only to this code is not so to clients: in OpenAPI the word means that a request must leave it out.
/** Describes a schema by what may be written. */
export function asWritten({
  zodSchema,
  jsonSchema,
}: Readonly<{ zodSchema: z.core.$ZodTypes; jsonSchema: z.core.JSONSchema.BaseSchema }>): void {
  const { def } = zodSchema._zod
  delete jsonSchema.readOnly
  if (def.type === 'pipe' && def.out._zod.def.type === 'transform') {
    const { $schema: _, ...written } = z.toJSONSchema(def.in)
    Object.assign(jsonSchema, written)
  }
}

function pointed(schema: object): Record<string, unknown> {
  const text = JSON.stringify(schema).replace(
    /"#\/\$defs\/(\w+)"/g,
    (_, id: string) => `"#/components/schemas/${nameOf(id)}"`,
  )
  return JSON.parse(text) as Record<string, unknown>
}

/** Free-form JSON is the one schema without an id that refers to itself. */
function nameOf(id: string): string {
  return id === '__schema0' ? 'JsonValue' : id
}

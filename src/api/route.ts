import type { z } from 'zod'
import type { Principal } from '../auth/index.ts'
import { CountersignError, type ErrorCode, type FieldError } from '../lib/errors.ts'
import type { Hex } from '../lib/hash.ts'
import type { Scope } from '../schema/scope.ts'
import type { LimitName } from './limits.ts'
import type { Surroundings } from './services.ts'
import { type Checked, check, invalid } from './validate.ts'

type Responses = Readonly<Record<number, z.ZodType>>

/** What a route declares of itself: the server, the OpenAPI document and the tests read nothing else. */
export type RouteSpec = Readonly<{
  /** Name of the file and of the export, in camelCase. */
  operationId: string
  method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** From the listener's root; parameters as `:name`. */
  path: `/${string}`
  summary: string
  /**
   * `admin-key`: an API key of type ADMIN. `integration-key`: one of an integrator, with its `x-app-id`. `user`: an
   * access token of a signed-in user, or a USER key of theirs.
   */
  auth: 'none' | 'api-key' | 'admin-key' | 'integration-key' | 'user'
  /** The caller needs one of them. Empty exactly where `auth` is `none`. */
  scopes: readonly Scope[]
  /** Which limit its requests count against; that of its `auth` where it names none. */
  limit?: LimitName | 'none'
  /** Answers are the same for everybody, and may be kept for so many seconds. */
  cacheSeconds?: number
  /** Media type of answers that are no JSON: they are sent as `text`. */
  textType?: string
  /** What a request outside the schemas is answered; `invalid_request` where nothing is said. */
  invalidAs?: ErrorCode
  /** Beside users, AGENT keys are let in. */
  agentsToo?: true
  /** The setting that lets everybody in, without a key. */
  openWhen?: 'validationIsPublic'
  params?: z.ZodObject
  query?: z.ZodObject
  /** Request headers by their lower-case names; others pass unread. */
  headers?: z.ZodObject
  body?: z.ZodType
  /** Bodies of the answers that are no error, by status; `z.undefined()` where there is none. */
  responses: Responses
  /** What its own work may answer, beside what every route of its form may. */
  errors: readonly ErrorCode[]
}>

type Output<schema> = schema extends z.ZodType ? z.output<schema> : undefined
type Member<spec, name extends string> = spec extends { readonly [key in name]: infer schema }
  ? Output<schema>
  : undefined

type RouteRequest<spec extends RouteSpec> = Readonly<{
  params: Member<spec, 'params'>
  query: Member<spec, 'query'>
  headers: Member<spec, 'headers'>
  body: Member<spec, 'body'>
  principal: spec['auth'] extends 'none' ? undefined : Principal
  /** SHA-256 of the body's bytes as they came. */
  bodyDigest: Hex
}>

type Reply<responses extends Responses> = {
  [status in keyof responses & number]: Readonly<{
    status: status
    body: z.input<responses[status]>
    /** What is sent in place of the body's JSON: another type of text, or JSON that was sent before. */
    text?: string
    headers?: Readonly<Record<string, string>>
  }>
}[keyof responses & number]

type Handler<spec extends RouteSpec> = (
  request: RouteRequest<spec>,
  surroundings: Surroundings,
) => Promise<Reply<spec['responses']>>

/** A request before its parts are checked. */
export type RawRequest = Readonly<{
  params: Readonly<Record<string, string>>
  query: Readonly<Record<string, string>>
  headers: Readonly<Record<string, unknown>>
  body: unknown
  principal: Principal | undefined
  bodyDigest: Hex
}>

/** An answer on its way out. */
export type RawReply = Readonly<{
  status: number
  body: unknown
  text: string | undefined
  headers: Readonly<Record<string, string>>
}>

/** A route with its types closed over: the server and the OpenAPI writer see all routes alike. */
export type Route = RouteSpec & Readonly<{ serve(request: RawRequest, surroundings: Surroundings): Promise<RawReply> }>

/**
 * Declares a route, then its handler. A request outside the schemas is refused with each wrong field named; a reply
 * outside `responses` does not compile, and is parsed before it leaves.
 */
export function route<const spec extends RouteSpec>(spec: spec) {
  return {
    handle: (handler: Handler<spec>): Route => ({
      ...spec,
      async serve(request, surroundings) {
        const { principal, bodyDigest } = request
        const parts = { ...checkParts(spec, request), principal, bodyDigest } as RouteRequest<spec>
        const { status, body, text, headers = {} } = await handler(parts, surroundings)
        return { status, body: parseReply(spec, status, body), text, headers }
      },
    }),
  }
}

function checkParts(spec: RouteSpec, { params, query, headers, body }: RawRequest) {
  const parts = {
    params: checkPart(spec.params, params, 'path'),
    query: checkFields(spec.query, query),
    headers: checkPart(spec.headers, headers, 'headers'),
    body: checkBody(spec.body, body),
  }
  const wrong = Object.values(parts).flatMap((part) => part.wrong)
  if (wrong.length > 0) throw invalid(wrong, { code: spec.invalidAs })
  return {
    params: parts.params.value,
    query: parts.query.value,
    headers: parts.headers.value,
    body: parts.body.value,
  }
}

const NOTHING: Checked = { value: undefined, wrong: [] }

function checkPart(schema: z.ZodType | undefined, input: unknown, whole: string): Checked {
  return schema === undefined ? NOTHING : check(schema, input, whole)
}

function checkFields(schema: z.ZodObject | undefined, query: Readonly<Record<string, string>>): Checked {
  if (schema !== undefined) return check(schema.strict(), query, 'query')
  const wrong = Object.keys(query).map((path): FieldError => ({ path, message: 'is not a known query parameter' }))
  return { value: undefined, wrong }
}

function checkBody(schema: z.ZodType | undefined, body: unknown): Checked {
  if (schema !== undefined) {
    const isNeeded = body === undefined && !schema.safeParse(undefined).success
    return isNeeded ? refused('body', 'expected a JSON body') : check(schema, body, 'body')
  }
  // Some clients send an empty object with every POST.
  const isEmpty = body === undefined || (typeof body === 'object' && body !== null && Object.keys(body).length === 0)
  return isEmpty && !Array.isArray(body) ? NOTHING : refused('body', 'this operation takes no body')
}

function refused(path: string, message: string): Checked {
  return { value: undefined, wrong: [{ path, message }] }
}

function parseReply(spec: RouteSpec, status: number, body: unknown): unknown {
  const parsed = spec.responses[status]?.safeParse(body)
  if (parsed === undefined || !parsed.success)
    throw new CountersignError('internal', `${spec.operationId} made an answer outside its schema for ${status}.`, {
      cause: parsed?.error,
    })
  return parsed.data
}

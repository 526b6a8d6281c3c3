import { createServer as createHttpServer, type RequestListener } from 'node:http'
import Router from '@koa/router'
import Koa, { type Context } from 'koa'
import { CountersignError } from '../lib/errors.ts'
import type { Log } from '../lib/log.ts'
import { addConsole, type ConsoleParts } from './console/console.ts'
import type { HeldPort } from './held-port.ts'
import { listener } from './listener.ts'
import { endpointsOf, openapi } from './openapi.ts'
import type { OpenApi } from './openapi-document.ts'
import { addPrograms, type ProgramParts } from './programs.ts'
import { respond } from './respond.ts'
import type { Route } from './route.ts'
import { serveRoute } from './serve-route.ts'
import type { Services, Settings } from './services.ts'
import { addWebhooks, type Webhook } from './webhooks.ts'

/** What the HTTP server is made of. */
export type ServerParts = Readonly<{
  routes: readonly Route[]
  services: Services
  log: Log
  settings: Settings
  /** The console's page and chat; without it neither is served. */
  console?: ConsoleParts | undefined
  /** Bots to which updates are brought, by their account. */
  webhooks?: ReadonlyMap<string, Webhook> | undefined
  /** What tests put in the place of the usual parts. */
  programs?: ProgramParts | undefined
}>

/** The HTTP server of all interfaces. */
export type Server = Readonly<{
  /**
   * Begins to accept connections, on a port or on one that is held. Port 0 takes any free one.
   *
   * @throws CountersignError `unavailable` when the port cannot be had
   */
  listen(port: number | HeldPort, host: string): Promise<Readonly<{ port: number }>>
  /** Answers what still comes, and closes each connection with its answer: the beginning of an orderly end. */
  drain(): Promise<void>
  /** Stops accepting, finishes the requests that were accepted, and is done within 8 seconds. */
  close(): Promise<void>
  /** The request listener alone. */
  callback: RequestListener
}>

/** Builds the server; nothing is accepted before `listen`. */
export function createServer({
  routes,
  services,
  log,
  settings,
  console,
  webhooks,
  programs = {},
}: ServerParts): Server {
  let made: OpenApi | undefined
  const document = () => (made ??= openapi(routes, services.version, settings.publicUrl))
  const surroundings = { ...services, settings, endpoints: endpointsOf(routes), document }
  const router = new Router({ sensitive: true })
  for (const route of routes) router.register(route.path, [route.method.toLowerCase()], serveRoute(route, surroundings))
  const streams = console && addConsole(router, console, { publicUrl: settings.publicUrl, log, services })
  if (webhooks) addWebhooks(router, webhooks)
  // A process that only acts has no interface for others' programs.
  const isService = routes.some(({ path }) => path.startsWith('/api'))
  const doors = isService && addPrograms(router, { services, settings, log }, programs)
  const app = new Koa()
  app.on('error', (error: unknown) => {
    // Whoever listens to a stream leaves when they like.
    if (error instanceof Error && 'code' in error && error.code === 'ERR_STREAM_PREMATURE_CLOSE') return
    log.warn({ name: error instanceof Error ? error.name : 'Error' }, 'answer not sent')
  })
  app.use(respond(log, services.metrics))
  app.use(router.routes())
  app.use((ctx) => notServed(ctx, router))
  const handle = app.callback()
  const callback: RequestListener = (request, response) => void handle(request, response)
  const { listen, drain, close } = listener(createHttpServer(LIMITS, callback).setTimeout(SILENT_MS), log)
  return {
    listen,
    async drain() {
      // A stream is a request that ends when it is told to.
      streams?.close()
      await drain()
    },
    async close() {
      const closed = close()
      // A stream is a request that ends when it is told to.
      streams?.close()
      if (doors) await doors.close()
      await closed
    },
    callback,
  }
}

// Slow clients hold a connection for no longer than this (milliseconds). Node's own limits are minutes.
const LIMITS = {
  headersTimeout: 10_000,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  connectionsCheckingInterval: 1_000,
} as const

// A peer that asks, and takes nothing of the answer, is let go. Every stream has a heartbeat within this time.
const SILENT_MS = 60_000

/** What no route serves: a path that does not exist, or one that does with another method. */
function notServed(ctx: Context, router: Router): void {
  const allowed = router.match(ctx.path, ctx.method).path.flatMap((layer) => layer.methods)
  if (allowed.length === 0) throw new CountersignError('not_found', 'Nothing is served at this path.')
  const methods = [...new Set([...allowed, 'OPTIONS'])].sort().join(', ')
  ctx.set('Allow', methods)
  if (ctx.method !== 'OPTIONS')
    throw new CountersignError('method_not_allowed', `This path does not take ${ctx.method}. It takes ${methods}.`)
  ctx.status = 204
}

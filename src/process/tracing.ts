import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, Span, SpanContext } from '@opentelemetry/api'
import { type TracedWork, tracedWork } from '../lib/traced.ts'
import { VERSION } from './version.ts'

/** Traces that leave the process. `stop` sends what is left, for a moment. */
export type Tracing = Readonly<{ stop(): Promise<void> }>

const LONGEST_END_MS = 2_000
/** Source: W3C Trace Context, "traceparent Header". */
const TRACEPARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/

/**
 * Sends OpenTelemetry traces over OTLP/HTTP. Its packages are loaded here, so that a process without them pays nothing.
 *
 * @param endpoint address of the collector, without `/v1/traces`
 */
export async function startTracing(endpoint: string): Promise<Tracing> {
  const [api, sdk, exporting, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new exporting.OTLPTraceExporter({ url: `${endpoint.replace(/\/+$/, '')}/v1/traces` })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({ 'service.name': 'countersign', 'service.version': VERSION }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const tracer = provider.getTracer('countersign')
  const current = new AsyncLocalStorage<unknown>()
  const spans = new WeakMap<TracedWork, Span>()

  tracedWork.start.bindStore(current, (work) => {
    const remote = remoteOf(work.parent)
    const above = remote
      ? api.trace.setSpanContext(api.ROOT_CONTEXT, remote)
      : ((current.getStore() ?? api.ROOT_CONTEXT) as Context)
    const kind = work.name === 'http' ? api.SpanKind.SERVER : api.SpanKind.INTERNAL
    const span = tracer.startSpan(work.name, { kind }, above)
    spans.set(work, span)
    return api.trace.setSpan(above, span)
  })
  const end = (work: TracedWork) => spans.get(work)?.setAttributes(work.fields).end()
  const listeners = {
    start: () => undefined,
    end: (work: TracedWork) => (work.isAsync ? undefined : end(work)),
    asyncStart: () => undefined,
    asyncEnd: end,
    error: (work: TracedWork) => spans.get(work)?.setStatus({ code: api.SpanStatusCode.ERROR }),
  }
  tracedWork.subscribe(listeners)
  return {
    async stop() {
      tracedWork.unsubscribe(listeners)
      tracedWork.start.unbindStore(current)
      const late = new Promise<void>((resolve) => setTimeout(resolve, LONGEST_END_MS).unref())
      await Promise.race([provider.shutdown().catch(() => undefined), late])
    },
  }
}

function remoteOf(parent: string | undefined): SpanContext | undefined {
  const [, traceId, spanId, flags] = TRACEPARENT.exec(parent ?? '') ?? []
  if (traceId === undefined || spanId === undefined || /^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined
  return { traceId, spanId, traceFlags: Number.parseInt(flags ?? '0', 16), isRemote: true }
}

import {
  type Attributes,
  context,
  propagation,
  ROOT_CONTEXT,
  type Span,
  SpanKind,
  SpanStatusCode,
  trace,
} from '@opentelemetry/api'

// Spans of what the service does (OpenTelemetry). Until a provider is registered, as `src/telemetry.ts` does
// where the settings name a collector, nothing is recorded and work runs as if it had not been wrapped.

const tracer = trace.getTracer('domain-marketplace')

/** Runs work in a span of its own trace or, under way in another, of that one. An error is recorded, and thrown. */
export async function inSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
): Promise<T> {
  return await tracer.startActiveSpan(name, { attributes }, (span) => ended(span, work))
}

/**
 * A part of something: a span only inside another, so that what polls all day makes no traces. It is a `CLIENT`
 * if another process does the work.
 */
export function inChildSpan<T>(
  name: string,
  attributes: Attributes,
  work: () => Promise<T>,
  kind = SpanKind.INTERNAL,
): Promise<T> {
  if (!trace.getActiveSpan()) return work()
  return tracer.startActiveSpan(name, { kind, attributes }, (span) => ended(span, work))
}

async function ended<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    // Without its message, which may quote what was sent or stored.
    const type = error instanceof Error ? error.name : 'error'
    span.setAttribute('error.type', type).setStatus({ code: SpanStatusCode.ERROR })
    throw error
  } finally {
    span.end()
  }
}

/**
 * The span of a request that has arrived, in the trace that its `traceparent` names (W3C Trace Context), and
 * what runs the rest of the request in it.
 */
export function startServerSpan(
  name: string,
  headers: object,
  attributes: Attributes,
): { span: Span; run(work: () => void): void } {
  const parent = propagation.extract(ROOT_CONTEXT, headers)
  const span = tracer.startSpan(name, { kind: SpanKind.SERVER, attributes }, parent)
  return { span, run: (work) => context.with(trace.setSpan(parent, span), work) }
}

/** What a log line says of the trace that it was written in. */
export function traceFields(): { trace_id: string; span_id: string } | undefined {
  const span = trace.getActiveSpan()?.spanContext()
  return span && { trace_id: span.traceId, span_id: span.spanId }
}

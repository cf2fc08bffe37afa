import { z } from 'zod'
import { bearerToken, entries, oneOf } from './environment-fields.ts'

function percentDecoded(text: string): string | null {
  try {
    return decodeURIComponent(text.trim())
  } catch {
    return null
  }
}

/** How the service is watched: its log, Prometheus, and OpenTelemetry by OpenTelemetry's own names. */
export const TELEMETRY_VARIABLES = {
  LOG_LEVEL: oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent')
    .default('info')
    .describe('`trace` to `fatal`, or `silent`; nothing is written below `info`'),
  METRICS_TOKEN: bearerToken
    .min(16, 'must have at least 16 characters')
    .optional()
    .describe(
      'Opens `/metrics` and nothing else, with at least 16 characters; the admin token opens it too',
    ),
  OTEL_EXPORTER_OTLP_ENDPOINT: z
    .url({ protocol: /^https?$/, error: 'must be an absolute http or https URL' })
    .optional()
    .meta({
      description:
        'The OpenTelemetry collector that traces and metrics are sent to by OTLP over HTTP, such as `http://localhost:4318`; see [OpenTelemetry](#opentelemetry)',
      otherwise: 'nothing is sent',
    }),
  OTEL_EXPORTER_OTLP_HEADERS: z
    .string()
    .default('')
    .transform((list) =>
      entries(list).map((entry) => entry.split(/=(.*)/s).map((part) => part.trim())),
    )
    .refine(
      (headers) =>
        headers.every(([name = '', value = '']) => /^[\w-]+$/.test(name) && value !== ''),
      'must be a list such as api-key=secret',
    )
    .transform((headers) => Object.fromEntries(headers) as Record<string, string>)
    .describe('What the collector knows us by: `name=value`, separated by commas'),
  OTEL_SERVICE_NAME: z.string().max(200, 'must have at most 200 characters').optional().meta({
    description: 'The name of this service in traces and metrics',
    otherwise: '`service.name` of `OTEL_RESOURCE_ATTRIBUTES`, else `domain-marketplace`',
  }),
  OTEL_RESOURCE_ATTRIBUTES: z
    .string()
    .default('')
    .transform((list) => entries(list).map((entry) => entry.split('=').map(percentDecoded)))
    .refine(
      (attributes) => attributes.every((pair) => pair.length === 2 && pair[0] && pair[1] !== null),
      'must be a list such as deployment.environment.name=staging, with a comma or equals sign in a value percent-encoded',
    )
    .transform((attributes) => Object.fromEntries(attributes) as Record<string, string>)
    .describe(
      'What else traces and metrics say of this service: `name=value`, separated by commas, such as `deployment.environment.name=staging`',
    ),
  OTEL_TRACES_SAMPLER_ARG: z
    .string()
    .refine(
      (text) => text.trim() !== '' && Number(text) >= 0 && Number(text) <= 1,
      'must be a number from 0 to 1',
    )
    .transform(Number)
    .default(1)
    .describe('The share of traces that are sent, 0 to 1, also of those that a caller has begun'),
}

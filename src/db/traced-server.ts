import { SpanKind } from '@opentelemetry/api'
import { inChildSpan } from '../lib/tracing.ts'
import type { DatabaseServer, ExclusiveSession, Session } from './server.ts'

/** Records each statement, as it was prepared: parameters are never shown. */
export function tracedServer(server: DatabaseServer): DatabaseServer {
  async function tracedSession(acquiring: Promise<ExclusiveSession>): Promise<ExclusiveSession> {
    const session = await acquiring
    return { ...session, query: traced(session) }
  }

  return {
    ...server,
    query: traced(server),
    acquire: () => tracedSession(server.acquire()),
  }
}

function traced(session: Session): Session['query'] {
  return (sql, parameters) => {
    const operation = /\w+/.exec(sql)?.[0].toUpperCase() ?? ''
    const attributes = {
      'db.system.name': 'postgresql',
      'db.operation.name': operation,
      'db.query.text': sql,
    }
    const query = () => session.query(sql, parameters)
    return inChildSpan(operation, attributes, query, SpanKind.CLIENT)
  }
}

import { serveThread } from '../../lib/serve-thread.ts'
import { createNames } from './ranker.ts'

serveThread(createNames())

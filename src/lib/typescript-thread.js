// Starts a thread from its TypeScript source when there is no build: threads do not inherit the loader.
// JavaScript, so that a thread can start it without one.
import { workerData } from 'node:worker_threads'

const { entry } = workerData
if (entry.endsWith('.ts')) (await import('tsx/esm/api')).register()
await import(entry)

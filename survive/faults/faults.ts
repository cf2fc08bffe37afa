import type { Proof } from '../proof.ts'
import { clockJumps } from './clock.ts'
import { awayDatabase } from './database.ts'
import { fullDisk } from './disk.ts'
import { twoInstances } from './instances.ts'
import { badReceivers } from './receivers.ts'

export const FAULTS: readonly Proof[] = [
  awayDatabase,
  twoInstances,
  fullDisk,
  clockJumps,
  badReceivers,
]

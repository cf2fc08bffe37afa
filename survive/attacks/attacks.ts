import type { Proof } from '../proof.ts'
import { addresses } from './addresses.ts'
import { generated } from './generated.ts'
import { limits, slowConnections } from './limits.ts'
import { matrix } from './matrix.ts'
import { payloads } from './payloads.ts'
import { signatures } from './signatures.ts'

export const ATTACKS: readonly Proof[] = [
  signatures,
  generated,
  addresses,
  matrix,
  payloads,
  limits,
  slowConnections,
]

import type { AdminOperation } from '../../core/operation.ts'
import { listForSaleRecords, setRegistrarForSale } from '../../domain/registrars/manage-for-sale.ts'
import { listOperations, retryOperation } from '../../domain/registrars/manage-operations.ts'
import {
  addRegistrar,
  listRegistrars,
  removeRegistrar,
  testRegistrar,
} from '../../domain/registrars/manage-registrars.ts'
import { listRegistrarDomains, showSync, startSync } from '../../domain/registrars/sync-domains.ts'
import { settleOperation } from '../registrar-finishers.ts'

/** Connections to registrars, and what they are asked to do. */
export const REGISTRAR_OPERATIONS: readonly AdminOperation[] = [
  addRegistrar,
  listRegistrars,
  testRegistrar,
  removeRegistrar,
  setRegistrarForSale,
  listForSaleRecords,
  startSync,
  showSync,
  listRegistrarDomains,
  listOperations,
  retryOperation,
  settleOperation,
]

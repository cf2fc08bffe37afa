import { writeFile } from 'node:fs/promises'
import { ADMIN_OPERATIONS } from '../src/http/admin/serve.ts'
import { describeAdminOperations } from './describe-admin-operations.ts'

const FILE = new URL('../src/cli/admin-operations.json', import.meta.url)

await writeFile(FILE, `${JSON.stringify(describeAdminOperations(ADMIN_OPERATIONS), null, 2)}\n`)

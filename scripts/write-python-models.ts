import { writeFileSync } from 'node:fs'
import { pythonModels } from './python-models.ts'

writeFileSync('client-python/domain_marketplace/models.py', pythonModels())

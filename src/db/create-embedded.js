// Makes an embedded database in a folder, as a process of its own: it takes 500 MB, which a thread that has made one does
// not give back. JavaScript, so that it starts without a loader.
import { PGlite } from '@electric-sql/pglite'
import { asError } from './file-error.js'

try {
  const database = await PGlite.create(process.argv[2] ?? '')
  await database.exec('checkpoint')
  await database.close()
} catch (error) {
  process.stderr.write(asError(error).message)
  process.exit(1)
}

// PGlite's state at a moment, to return to: opening a database takes a second of CPU, returning to one a twentieth.
// What PostgreSQL knows is in its memory and its files, and between two statements no function of it is running.

/**
 * @typedef {import('@electric-sql/pglite').PGlite['Module']} Module
 * @typedef {object} Node of Emscripten's file system
 * @property {Node} parent
 * @property {string} name
 * @property {Node} [name_next] the next of the same hash
 * @property {Uint8Array | Record<string, Node>} [contents] a file's bytes or a folder's nodes
 */

/**
 * @param {Module} module
 * @returns {() => void} returns to the state of now
 */
export function remember(module) {
  const memory = module.HEAPU8.slice()
  const files = rememberFiles(module.FS)
  return () => {
    // It may have grown, and PostgreSQL expects zeros in what it has not had yet.
    module.HEAPU8.set(memory)
    module.HEAPU8.fill(0, memory.length)
    files()
  }
}

/** @param {any} fs which has more than its types say */
function rememberFiles(fs) {
  const { nextInode } = fs
  const names = [...fs.nameTable]
  const nodes = names.flatMap(chain).map((node) => ({ node, was: copy(node) }))
  const streams = fs.streams.map(
    (/** @type {any} */ stream) =>
      stream && { stream, was: { ...stream }, shared: { ...stream.shared } },
  )
  return () => {
    fs.nextInode = nextInode
    fs.nameTable.splice(0, names.length, ...names)
    for (const { node, was } of nodes) Object.assign(node, copy(was))
    fs.streams = streams.map((/** @type {any} */ open) => {
      if (!open) return null
      Object.assign(open.stream.shared, open.shared)
      return Object.assign(open.stream, open.was)
    })
  }
}

/** @param {Node | undefined} first @returns {Node[]} */
function chain(first) {
  return first ? [first, ...chain(first.name_next)] : []
}

/** @param {Node} node @returns {Node} */
function copy(node) {
  const { contents } = node
  if (ArrayBuffer.isView(contents)) return { ...node, contents: new Uint8Array(contents) }
  return contents ? { ...node, contents: { ...contents } } : { ...node }
}

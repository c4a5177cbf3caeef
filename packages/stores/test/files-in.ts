import { readdirSync } from 'node:fs'

/** The names in a folder of a database, without its reserve. */
export const filesIn = (folder: string): string[] => readdirSync(folder).filter((name) => !name.endsWith('.reserve'))

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

const specifier = '@wayleave/gateway/config.schema.json'

/** The file of the JSON Schema of configurations. */
export function schemaFile(): string {
  return createRequire(import.meta.url).resolve(specifier)
}

/** The address of the schema for a configuration in `folder`: within the folder's own packages, else where this command has it. */
export function schemaAddress(folder: string): string {
  const own = join('node_modules', ...specifier.split('/'))
  return existsSync(join(folder, own)) ? `./${own.replaceAll('\\', '/')}` : pathToFileURL(schemaFile()).href
}

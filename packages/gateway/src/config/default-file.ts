import { access } from 'node:fs/promises'
import { join } from 'node:path'

/** The names that a configuration has where none is given. */
const defaultFiles: readonly string[] = ['ts', 'yaml', 'yml', 'json'].map((kind) => `wayleave.config.${kind}`)

/** Finds the configuration of a folder, by default the current one, or tells in words what to do. Never rejects. */
export async function findConfigFile(folder = ''): Promise<{ readonly file: string } | { readonly problem: string }> {
  const files = defaultFiles.map((name) => join(folder, name))
  const isThere = await Promise.all(
    files.map((file) =>
      access(file).then(
        () => true,
        () => false,
      ),
    ),
  )
  const [file, ...others] = files.filter((_, i) => isThere[i])
  if (file === undefined) return { problem: none }
  if (others.length === 0) return { file }
  return {
    problem: `expected one configuration in this folder, got ${[file, ...others].join(' and ')}: name it with --config FILE`,
  }
}

const none =
  'there is no wayleave.config.ts, .yaml, .yml or .json in this folder: name a file with --config FILE, make one with wayleave config init, or serve a node without one by wayleave serve --upstream URL'

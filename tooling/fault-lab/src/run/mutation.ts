import { readdirSync, readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { VerificationLevel } from '@wayleave/evm-verify'

/** A seeded bug: one line of the product, and what stands in its place. */
export interface Mutation {
  readonly name: string
  /** The file, from the root of the repository. */
  readonly file: string
  /** The whole line, without the space around it; it stands in the file once. */
  readonly line: string
  readonly replacement: string
  /** Whether plans of streams look for it. Default: those of seeds. */
  readonly isOfStreams?: boolean
  /** Whether plans of reorganisations look for it. Default: those of seeds. */
  readonly isOfReorgs?: boolean
  /** The verification of those plans. Default `off`. */
  readonly verify?: VerificationLevel
  /** The harm that users would come to. */
  readonly harm: string
}

const folder = new URL('../../mutations/', import.meta.url)
const root = new URL('../../../../', import.meta.url)

/** Reads the seeded bugs in the order of their names. */
export function readMutations(): readonly Mutation[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.json'))
    .toSorted()
    .map((name) => ({
      name: name.slice(0, -'.json'.length),
      ...(JSON.parse(readFileSync(new URL(name, folder), 'utf8')) as Omit<Mutation, 'name'>),
    }))
}

/** Reads the file of a seeded bug with the bug in it. @throws Error where its line does not stand there once */
export function mutatedSource({ name, file, line, replacement }: Mutation): string {
  const lines = readFileSync(new URL(file, root), 'utf8').split('\n')
  const found = lines.flatMap((text, i) => (text.trim() === line ? [i] : []))
  const [at] = found
  if (at === undefined || found.length > 1) {
    const times = at === undefined ? 'is not' : `stands ${found.length} times`
    throw new Error(
      `mutations/${name}.json: its line ${times} in ${file}; write it as it stands there: ${JSON.stringify(line)}`,
    )
  }
  return lines
    .with(
      at,
      lines[at]!.replace(line, () => replacement),
    )
    .join('\n')
}

/** Has modules that are loaded from here on carry a seeded bug. The files stay as they are. */
export function plantMutation(mutation: Mutation): void {
  const url = pathToFileURL(fileURLToPath(new URL(mutation.file, root))).href
  const source = mutatedSource(mutation)
  registerHooks({
    load: (loading, context, next) =>
      loading === url ? { format: 'module-typescript', source, shortCircuit: true } : next(loading, context),
  })
}

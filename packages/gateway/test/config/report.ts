import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigReport, type ConfigWarning, inspectConfig } from '@wayleave/gateway'

/** Writes a configuration to a file, and returns the report of it. */
export async function reportOf(config: unknown): Promise<ConfigReport> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-report-'))
  try {
    const file = join(folder, 'wayleave.json')
    await writeFile(file, JSON.stringify(config))
    return await inspectConfig(file, {})
  } finally {
    await rm(folder, { recursive: true })
  }
}

/** The paths of all problems; empty for a configuration that can be used. */
export const problemPaths = async (config: unknown): Promise<readonly string[]> =>
  (await reportOf(config)).problems.map(({ path }) => path)

/** The warnings of a configuration that can be used. */
export async function warningsOf(config: unknown): Promise<readonly ConfigWarning[]> {
  const { problems, warnings } = await reportOf(config)
  if (problems.length > 0) throw new Error(`it cannot be used: ${JSON.stringify(problems)}`)
  return warnings
}

/** The paths of the warnings of a configuration that can be used. */
export const warningPaths = async (config: unknown): Promise<readonly string[]> =>
  (await warningsOf(config)).map(({ path }) => path)

import { UsageError } from '../command.ts'

/** Finds the configuration of the current folder. @throws UsageError that tells what to do */
export async function defaultConfig(): Promise<string> {
  const { findConfigFile } = await import('@wayleave/gateway')
  const found = await findConfigFile()
  if ('problem' in found) throw new UsageError(found.problem)
  return found.file
}

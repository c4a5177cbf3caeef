import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Finds `starknet-devnet` in the first folder of the `PATH` of `env` that has it; undefined if none has. */
export function findStarknetDevnet(
  env: Readonly<Record<string, string | undefined>> = process.env,
  platform: string = process.platform,
): string | undefined {
  const name = platform === 'win32' ? 'starknet-devnet.exe' : 'starknet-devnet'
  // An empty entry would mean the working directory, where nobody expects a program.
  const folders = (env['PATH'] ?? env['Path'] ?? '').split(delimiter).filter((folder) => folder !== '')
  return folders.map((folder) => join(folder, name)).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}

import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The first `node` on the PATH of a major version, or undefined. */
export function findNode(major: number): string | undefined {
  const places = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, 'node'))
  return [process.execPath, ...places].filter(existsSync).find((node) => versionOf(node).startsWith(`v${major}.`))
}

function versionOf(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' })
}

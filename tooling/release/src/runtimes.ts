import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import type { Manifest } from './published.ts'

/** A runtime of JavaScript on this machine. */
export interface Runtime {
  /** `Node 20`, `Bun` or `Deno`. */
  readonly name: string
  readonly command: string
  /** Arguments before a script. */
  readonly args: readonly string[]
}

const folders = (process.env['PATH'] ?? '').split(delimiter)
const find = (program: string): readonly string[] =>
  folders.map((folder) => join(folder, program)).filter((path) => existsSync(path))

/** The oldest Node that packages may name, and the one that this repository runs on. */
const nodes = [20, 24]

/** Finds the runtimes on the PATH. */
export function findRuntimes(): readonly Runtime[] {
  const node = nodes.flatMap((major) => {
    const command = [process.execPath, ...find('node')].find((path) => versionOf(path).startsWith(`v${major}.`))
    return command === undefined ? [] : [{ name: `Node ${major}`, command, args: [] }]
  })
  const [bun] = find('bun')
  const [deno] = find('deno')
  return [
    ...node,
    ...(bun === undefined ? [] : [{ name: 'Bun', command: bun, args: [] }]),
    ...(deno === undefined
      ? []
      : [{ name: 'Deno', command: deno, args: ['run', '--allow-all', '--node-modules-dir=manual'] }]),
  ]
}

/** Tells whether a package is for a runtime: Node by its `engines`, others if it is for browsers, too. */
export function isFor({ engines }: Manifest, isForBrowsers: boolean, runtime: Runtime): boolean {
  const [, major] = /^Node (\d+)$/.exec(runtime.name) ?? []
  if (major === undefined) return isForBrowsers
  return Number(major) >= Number(/^>=(\d+)/.exec(engines.node)![1])
}

function versionOf(node: string): string {
  return execFileSync(node, ['--version'], { encoding: 'utf8' })
}

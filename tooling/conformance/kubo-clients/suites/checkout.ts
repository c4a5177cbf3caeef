import { existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProgram, run } from '../../src/peers/peer.ts'

const source = 'https://github.com/ipfs/js-kubo-rpc-client'
const version = 'v7.1.0'
const cache = fileURLToPath(new URL('../../../../node_modules/.cache/wayleave-peers/', import.meta.url))

/**
 * Finds the source of kubo-rpc-client 7.1 with its suites and what they import: in the folder that `KUBO_RPC_CLIENT` names, or fetched
 * once. Its own dependencies are installed there, and their scripts are not run.
 */
export async function provideSuites(): Promise<{ readonly folder: string } | { readonly missing: string }> {
  const given = process.env['KUBO_RPC_CLIENT']
  if (given !== undefined)
    return isReady(given) ? { folder: given } : { missing: 'KUBO_RPC_CLIENT names no installed source' }
  const folder = join(cache, `kubo-rpc-client-${version}`)
  if (isReady(folder)) return { folder }
  if (findProgram('git') === undefined || findProgram('npm') === undefined) {
    return { missing: 'git and npm, which would fetch it, are not on the PATH' }
  }
  try {
    mkdirSync(cache, { recursive: true })
    if (!existsSync(folder)) await run('git', ['clone', '--depth=1', `--branch=${version}`, source, folder])
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: folder })
  } catch (thrown) {
    return { missing: `it could not be fetched: ${(thrown as Error).message}` }
  }
  return isReady(folder) ? { folder } : { missing: 'its installation left no mocha' }
}

function isReady(folder: string): boolean {
  return ['test/interface-tests/src/index.ts', 'node_modules/mocha', 'node_modules/aegir'].every((path) =>
    existsSync(join(folder, path)),
  )
}

import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DevNodeError } from './error.ts'

const builds: Readonly<Record<string, string>> = {
  'linux-x64': '@foundry-rs/anvil-linux-amd64',
  'linux-arm64': '@foundry-rs/anvil-linux-arm64',
  'darwin-x64': '@foundry-rs/anvil-darwin-amd64',
  'darwin-arm64': '@foundry-rs/anvil-darwin-arm64',
  'win32-x64': '@foundry-rs/anvil-win32-amd64',
}

/**
 * The path of the anvil binary for a platform and architecture in Node's words.
 * @throws DevNodeError `unsupported_platform` or `binary_missing`.
 */
export function findAnvil(platform: string = process.platform, arch: string = process.arch): string {
  const build = builds[`${platform}-${arch}`]
  if (build === undefined) {
    const known = Object.keys(builds).join(', ')
    throw new DevNodeError('unsupported_platform', `anvil has no build for ${platform}-${arch}, only for ${known}`)
  }
  try {
    // The build is a dependency of anvil, not ours: only from there does it resolve under every package manager.
    const anvil = import.meta.resolve('@foundry-rs/anvil/package.json')
    const home = dirname(createRequire(anvil).resolve(`${build}/package.json`))
    return join(home, 'bin', platform === 'win32' ? 'anvil.exe' : 'anvil')
  } catch (cause) {
    const message = `the package ${build} is not installed; install again with optional dependencies`
    throw new DevNodeError('binary_missing', message, { cause })
  }
}

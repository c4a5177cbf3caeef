import { readFile } from 'node:fs/promises'
import { extname, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { parse as parseYaml } from 'yaml'
import { checkConfig, ConfigError } from './check.ts'
import type { Config } from './config.ts'

/**
 * Reads a configuration from a `.ts`, `.js`, `.yaml`, `.yml` or `.json` file; `${NAME}` in any text is replaced from `env`.
 * @throws ConfigError where the file cannot be read, a variable is not set, or a value is not as expected.
 */
export async function loadConfig(file: string, env: Readonly<Record<string, string | undefined>>): Promise<Config> {
  try {
    return checkConfig(interpolate(await read(file), env, ''))
  } catch (thrown) {
    if (thrown instanceof ConfigError) throw new ConfigError(`${file}: ${thrown.message}`)
    throw thrown
  }
}

async function read(file: string): Promise<unknown> {
  const kind = extname(file)
  try {
    if (kind === '.ts' || kind === '.js' || kind === '.mjs' || kind === '.mts') {
      const module = (await import(pathToFileURL(resolve(file)).href)) as { default?: unknown }
      return module.default
    }
    const text = await readFile(file, 'utf8')
    if (kind === '.json') return JSON.parse(text) as unknown
    if (kind === '.yaml' || kind === '.yml') return parseYaml(text, { logLevel: 'error' }) as unknown
  } catch (cause) {
    throw new ConfigError(`the file could not be read: ${reasonOf(cause)}`)
  }
  throw new ConfigError(`expected a .ts, .js, .yaml or .json file`)
}

/** Why a file could not be read, without a piece of it: there may be a secret in it. */
function reasonOf(cause: unknown): string {
  if (!(cause instanceof Error)) return 'it threw something that is no Error'
  // A YAML alias without an anchor: a text that begins with `*` and stands without quotes.
  if (cause instanceof ReferenceError) return 'something is used that is not defined'
  if (!(cause instanceof SyntaxError)) return cause.message.split('\n')[0]!
  return `bad syntax${/ at position .*/.exec(cause.message)?.[0] ?? ''}`
}

function interpolate(value: unknown, env: Readonly<Record<string, string | undefined>>, path: string): unknown {
  if (typeof value === 'string') {
    return value.replace(/\$\{([A-Za-z_]\w*)\}/g, (_match, name: string) => {
      const found = env[name]
      if (found === undefined) throw new ConfigError(`${path}: the environment variable ${name} is not set`)
      return found
    })
  }
  if (Array.isArray(value)) return value.map((item, i) => interpolate(item, env, `${path}[${i}]`))
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [
    key,
    interpolate(member, env, path === '' ? key : `${path}.${key}`),
  ])
  return Object.fromEntries(members) as unknown
}

import { parseArgs, type ParseArgsOptionsConfig } from 'node:util'
import { createIpfsClient, type IpfsClient, type Verification, type VerifyMode } from '@wayleave/ipfs-http'
import { type CommandIo, UsageError } from '../command.ts'
import { devKey, devSecret } from '../dev-project.ts'
import { fromEnv } from '../from-env.ts'
import { schemeHint } from '../scheme-hint.ts'
import { suggest } from '../suggest.ts'
import type { ValuesOf } from '../read-args.ts'

/** The flags of every `wayleave ipfs` command, for `parseArgs`. */
export const ipfsFlags = {
  'ipfs-url': { type: 'string' },
  'api-key': { type: 'string' },
  'api-key-secret': { type: 'string' },
  timeout: { type: 'string', default: '30' },
  json: { type: 'boolean', default: false },
} as const

/** The flag of commands that read or add content. */
export const verifyFlag = { verify: { type: 'string', default: 'consistent' } } as const

/** The flags that bound the requests of an upload. */
export const limitFlags = {
  'max-parts': { type: 'string' },
  'max-request-bytes': { type: 'string' },
} as const

type IpfsFlagValues = ValuesOf<typeof ipfsFlags> & Partial<ValuesOf<typeof limitFlags>>

const levels: readonly VerifyMode[] = ['off', 'consistent', 'proven']

/** Parses arguments. Boolean flags also take `--flag=true`, `--flag=false` and `--no-flag`. */
export function readIpfsArgs<T extends ParseArgsOptionsConfig>(
  args: readonly string[],
  options: T,
): ReturnType<typeof parseArgs<{ options: T; allowPositionals: true; allowNegative: true; args: string[] }>> {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const plain = args.map((arg, at) => {
    const [, name = '', value] = /^--([\w-]+)=(true|false)$/.exec(arg) ?? []
    if (at > end || options[name]?.type !== 'boolean') return arg
    return value === 'true' ? `--${name}` : `--no-${name}`
  })
  return parseArgs({ args: plain, options, allowPositionals: true, allowNegative: true })
}

/** Opens a client of the host in the flags or the environment, else of the local `wayleave dev` with its key. @throws UsageError */
export function openIpfs(flags: IpfsFlagValues, env: CommandIo['env'], verify?: VerifyMode): IpfsClient {
  const seconds = Number(flags.timeout)
  if (!(seconds > 0)) throw new UsageError(`--timeout: expected seconds above 0, got "${flags.timeout}"`)
  const maxParts = readLimit('--max-parts', flags['max-parts'], 'entries')
  const maxRequestBytes = readLimit('--max-request-bytes', flags['max-request-bytes'], 'bytes')
  const given = flags['ipfs-url'] ?? fromEnv(env, 'WAYLEAVE_IPFS_URL')
  // A URL's own credentials are for its host; those of the environment are for another one.
  const isOwn = given !== undefined && /^\w+:\/\/[^/?#]*@/.test(given)
  const keyOfEnv = isOwn ? undefined : fromEnv(env, 'WAYLEAVE_API_KEY')
  const secretOfEnv = isOwn ? undefined : fromEnv(env, 'WAYLEAVE_API_KEY_SECRET')
  const apiKey = flags['api-key'] ?? keyOfEnv ?? (given === undefined ? devKey : undefined)
  const secret = flags['api-key-secret'] ?? secretOfEnv
  try {
    return createIpfsClient({
      url: given ?? 'http://127.0.0.1:5001',
      apiKey,
      apiKeySecret: secret ?? (apiKey === devKey ? devSecret : undefined),
      timeoutMs: seconds * 1_000,
      maxParts,
      maxRequestBytes,
      verify,
    })
  } catch (thrown) {
    // None of these messages holds the URL.
    if (!(thrown instanceof Error)) throw thrown
    const place = flags['ipfs-url'] === undefined ? '$WAYLEAVE_IPFS_URL' : '--ipfs-url'
    throw new UsageError(`${place}: ${thrown.message}${schemeHint(given)}`)
  }
}

/** Reads a number above 0, or `Infinity`; undefined if none is given. @throws UsageError */
function readLimit(flag: string, text: string | undefined, unit: string): number | undefined {
  const limit = text === undefined ? undefined : Number(text)
  if (limit === undefined || limit >= 1) return limit
  throw new UsageError(`${flag}: expected a number of ${unit} above 0, got "${text}"`)
}

/** @throws UsageError */
export function readVerify(text: string): VerifyMode {
  const level = levels.find((known) => known === text)
  if (level === undefined) {
    throw new UsageError(`--verify: expected off, consistent or proven, got "${text}"${suggest(text, levels)}`)
  }
  return level
}

/** Notes on stderr if a check was asked for and the content could not be checked. */
export function reportUnverified(io: CommandIo, verification: Verification, asked: VerifyMode): void {
  if (verification !== 'unverified' || asked === 'off') return
  io.stderr('unverified: the host gave nothing to check this content by; --verify proven refuses that\n')
}

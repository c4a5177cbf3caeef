import type { CommandIo } from '../command.ts'
import { fromEnv } from '../from-env.ts'
import type { ValuesOf } from '../read-args.ts'

/** The flags of every command that calls a node, for `parseArgs`. */
export const callFlags = {
  'rpc-url': { type: 'string' },
  network: { type: 'string' },
  timeout: { type: 'string', default: '30' },
  json: { type: 'boolean', default: false },
} as const

/** The help text of {@link callFlags}. */
export const callFlagsHelp = `  --rpc-url URL       http(s) or ws(s); default $WAYLEAVE_RPC_URL, else the local wayleave dev
  --network NAME      a network of that gateway by its path, such as rollup-dev
  --timeout SECONDS   default 30
  --json              one line of JSON, as it came; an error as {"error":…}`

export type CallFlagValues = ValuesOf<typeof callFlags>

/** The URL of the local `wayleave dev`. */
export const devUrl = 'http://127.0.0.1:8545'

/** Reads the URL of the flags or the environment; undefined where neither has one, which means {@link devUrl}. */
export function givenUrl(flags: Pick<CallFlagValues, 'rpc-url'>, env: CommandIo['env']): string | undefined {
  return flags['rpc-url'] ?? fromEnv(env, 'WAYLEAVE_RPC_URL')
}

/** Prints scheme, host and port that the flags lead to: no path, and so no key, and no credentials. */
export function addressOf(flags: Pick<CallFlagValues, 'rpc-url'>, env: CommandIo['env']): string {
  const url = givenUrl(flags, env) ?? devUrl
  return URL.canParse(url) ? new URL(url).origin : 'the URL'
}

/** Tells what the flags lead to: the local `wayleave dev`, another gateway, whose URL ends in `/v3/KEY`, or a node, which has one network. */
export function targetOf(flags: Pick<CallFlagValues, 'rpc-url'>, env: CommandIo['env']): 'dev' | 'gateway' | 'node' {
  const url = givenUrl(flags, env)
  if (url === undefined) return 'dev'
  return /\/v3\/[^/?#]+\/?$/.test(url) ? 'gateway' : 'node'
}

import { type CommandIo, UsageError } from '../command.ts'
import { fromEnv } from '../from-env.ts'
import { type AccountFlagValues, readText } from './flags.ts'
import { readStdin } from './stdin.ts'

/** The admin listener of a running gateway. */
export interface GatewayPlace {
  /** `http` or `https`, without credentials and path. */
  readonly url: string
  /** Undefined where none is given. */
  readonly token: string | undefined
  readonly timeoutMs: number
}

/** Reads where a running gateway is, and the token for it. @throws UsageError */
export async function gatewayPlace(flags: AccountFlagValues, io: CommandIo): Promise<GatewayPlace> {
  const seconds = Number(flags.timeout)
  if (!(seconds > 0 && seconds <= 86_400)) {
    throw new UsageError(`--timeout: expected seconds above 0, got "${flags.timeout}"`)
  }
  const url = flags.admin ?? fromEnv(io.env, 'WAYLEAVE_ADMIN_URL') ?? 'http://127.0.0.1:8546'
  const base = URL.parse(url)
  if (base === null || !/^https?:$/.test(base.protocol) || base.username !== '' || base.password !== '') {
    throw new UsageError('--admin: expected an http or https URL without credentials')
  }
  if (base.pathname !== '/') throw new UsageError('--admin: expected a URL without a path')
  return { url: base.origin, token: await readToken(flags, io), timeoutMs: seconds * 1_000 }
}

async function readToken(flags: AccountFlagValues, io: CommandIo): Promise<string | undefined> {
  const { token, 'token-file': file } = flags
  if (token !== undefined && file !== undefined) throw new UsageError('expected --token or --token-file, not both')
  if (token !== undefined) {
    io.stderr('--token: all users of this machine can see it; $WAYLEAVE_ADMIN_TOKEN and --token-file keep it to you\n')
  }
  const read =
    file === '-' ? await readStdin(io) : file === undefined ? undefined : await readText('--token-file', file)
  const given = token ?? read?.trim() ?? fromEnv(io.env, 'WAYLEAVE_ADMIN_TOKEN')
  if (given !== undefined && !/^[\x21-\x7e]{1,1024}$/.test(given)) {
    throw new UsageError('the admin token: expected 1 to 1,024 printable ASCII characters without spaces')
  }
  return given
}

import { UsageError } from '../command.ts'
import { hashOf } from '../config/key-hash.ts'
import { readNamedArgs } from './flags.ts'
import { readStdin } from './stdin.ts'
import type { Subcommand } from './subcommands.ts'

const kinds = {
  key: 'a key of 1 to 128 characters of A-Z a-z 0-9 _ -',
  secret: 'a secret of 1 to 1,024 characters without control characters',
  token: 'a token of 16 to 1,024 printable ASCII characters without spaces',
} as const

export const hashKey: Subcommand = {
  usage: '[KEY] [--for KIND] [--json]',
  summary: 'prints the sha256: of a key, for the configuration',
  help: `Prints sha256:…, which stands in a configuration in the place of a key. Without KEY, which all users of this machine can see, it reads
the key from stdin. It asks no gateway.

  --for KIND          key (default): keyHash; secret: secretHash; token: tokenHash of admin.tokens
  --json              {"hash":…,"hint":…}

  printf %s "$KEY" | wayleave keys hash
`,
  async run(args, io) {
    const flags = { for: { type: 'string', default: 'key' }, json: { type: 'boolean', default: false } } as const
    const { values, positionals } = readNamedArgs(args, flags, ['KEY?'])
    const kind = values.for as keyof typeof kinds
    if (!Object.hasOwn(kinds, kind)) throw new UsageError(`--for: expected key, secret or token, got "${kind}"`)
    const [given] = positionals
    if (given === undefined && io.process.stdin.isTTY) io.stderr(`${kind}: `)
    const text = given ?? (await readStdin(io)).replace(/\r?\n$/, '')
    const auth = await import('@wayleave/auth')
    const { hasValidChecksum, hintOf, isWeakKey, keyPattern, minKeyLength } = auth
    const isToken = (token: string): boolean => /^[\x21-\x7e]{16,1024}$/.test(token)
    const accepts = { key: auth.isApiKey, secret: auth.isApiSecret, token: isToken }[kind]
    if (!accepts(text)) throw new UsageError(`expected ${kinds[kind]}${given === undefined ? ' on stdin' : ''}`)
    if (given !== undefined)
      io.stderr('all users of this machine can see the arguments of a command; stdin keeps them to you\n')
    if (kind === 'key' && isWeakKey(text)) {
      io.stderr(`the key can be guessed: it has fewer than ${minKeyLength} characters\n`)
    }
    if (keyPattern.exec(text)?.[0] === text && !hasValidChecksum(text)) {
      io.stderr(`the checksum of this ${kind} is wrong: is it misspelt?\n`)
    }
    const hash = hashOf(text)
    io.stdout(values.json ? `${JSON.stringify({ hash, hint: hintOf(text) })}\n` : `${hash}\n`)
    return 0
  },
}

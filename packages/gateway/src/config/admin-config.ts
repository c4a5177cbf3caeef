import { array, boolean, oneOf, type Schema, shown, text, type TypeOf } from '@wayleave/jsonrpc-core/schema'
import { arrayUpTo, exact, filled, moment, required, setting } from '@wayleave/network/config'
import { hash } from './project-config.ts'

const hostName = text('a host name', /^[\w.-]+$/)

/** An origin goes into the policy of the page, where blanks and semicolons mean something. */
const origin: Schema<string> = text(
  'an origin, such as https://rpc.example.org',
  /^https?:\/\/(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/,
)

/** A further token for the admin API. */
const token = exact('{ name, tokenHash, scopes, expiresAt? }', {
  name: required(
    shown(text('a name of 1 to 64 letters, digits, "_", "-", ".", "@" or ":"', /^[\w.@:-]{1,64}$/)),
    'Names the author of changes in the audit log.',
  ),
  tokenHash: required(hash, '`sha256:` and 64 hex digits.'),
  scopes: arrayUpTo(6, shown(oneOf('read', 'accounts', 'usage', 'networks', 'ipfs', 'all'))),
  expiresAt: setting(shown(moment), 'Default: it does not expire.'),
})

export const admin = exact('{ token?, tokens?, hosts?, console?, publicRpc? }', {
  token: setting(
    text('a token of at least 16 characters, printable ASCII without spaces', /^[\x21-\x7e]{16,}$/),
    'Asked for by `/status` and `/metrics`, and one with all scopes for the admin API. Default: none; where others than this machine reach `listen.admin`, or `hosts` has a name, there must be one, or one of `tokens`.',
  ),
  tokens: setting(filled(arrayUpTo(100, token)), 'Further tokens for the admin API.'),
  hosts: setting(
    array(shown(hostName)),
    'Names that requests to the admin listener may have in `Host` and `Origin`, beside addresses, `localhost` and its own. Default: none.',
  ),
  console: setting(
    shown(boolean),
    '`false`: the console is not served. Default: it is, at `/console/` of the admin listener, wherever the admin API is.',
  ),
  publicRpc: setting(
    shown(origin),
    'The origin by which pages of the console reach JSON-RPC, such as `https://rpc.example.org`. Default: the port of `listen.rpc` at their own host.',
  ),
})

/** The admin listener: who may ask it, and its console. */
export type AdminConfig = TypeOf<typeof admin>

import { array, boolean, oneOf, optional, type Schema, shown, text } from '@wayleave/jsonrpc-core/schema'
import type { AdminConfig, AdminTokenConfig } from './config.ts'
import { moment } from './moment.ts'
import { hash } from './project-schema.ts'
import { arrayUpTo, exact } from './schema-parts.ts'

const hostName = text('a host name', /^[\w.-]+$/)

/** It goes into the policy of the page, where blanks and semicolons mean something. */
const origin = text(
  'an origin, such as https://rpc.example.org',
  /^https?:\/\/(?:[\w.-]+|\[[0-9a-fA-F:.]+\])(?::\d{1,5})?$/,
)

const token = exact<AdminTokenConfig>('{ name, tokenHash, scopes, expiresAt? }', {
  name: shown(text('a name of 1 to 64 letters, digits, "_", "-", ".", "@" or ":"', /^[\w.@:-]{1,64}$/)),
  tokenHash: hash,
  scopes: arrayUpTo(6, shown(oneOf('read', 'accounts', 'usage', 'networks', 'ipfs', 'all'))),
  expiresAt: optional(shown(moment)),
})

/** The member `admin` of a configuration. */
export const admin: Schema<AdminConfig> = exact<AdminConfig>('{ token?, tokens?, hosts?, console?, publicRpc? }', {
  token: optional(text('a token of at least 16 characters, printable ASCII without spaces', /^[\x21-\x7e]{16,}$/)),
  tokens: optional(arrayUpTo(100, token)),
  hosts: optional(array(shown(hostName))),
  console: optional(shown(boolean)),
  publicRpc: optional(shown(origin)),
})

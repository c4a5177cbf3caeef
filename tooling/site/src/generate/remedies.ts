import type { AdminErrorCode } from '@wayleave/admin-api'
import type { AuthErrorCode } from '@wayleave/auth'
import type { DevNodeErrorCode } from '@wayleave/dev-node'
import type { VerifyErrorCode } from '@wayleave/evm-verify'
import type { GasFeesErrorCode } from '@wayleave/gas-fees'
import type { IpfsErrorCode } from '@wayleave/ipfs-http'
import type { RpcErrorCode } from '@wayleave/jsonrpc-core'
import type { MeteringErrorCode } from '@wayleave/metering'
import type { StoresErrorCode } from '@wayleave/stores'

type Remedies<Code extends string> = Readonly<Record<Code, string>>

const rpc: Remedies<RpcErrorCode> = {
  timeout: 'Raise `timeoutMs`, or ask for less; a read may be repeated',
  aborted: 'None: your own `signal` ended it, or the client was closed',
  connect:
    'Is the address right, and does something listen there? Nothing was sent, so even a transaction may be repeated',
  disconnected: 'Repeat a read. Look for a transaction by its hash before you send it again',
  http_status: '`httpStatus` says more: 401 a wrong key, 402 a spent quota, 429 slower, by `retryAfterMs`',
  invalid_response: 'The address is that of no node, or an answer did not verify: `cause` has the member',
  too_large: 'Ask for less, such as a shorter range; or raise the cap of the transport',
  overloaded: 'Wait, by `retryAfterMs` where it is given; have fewer calls at once',
  unavailable: 'The message tells how each upstream fared: bring one back, or name another',
  denied: 'The message has the words of the policy: another method, address or range, or another rule',
  rpc: '`rpc` is the error of the peer; a revert is a `RevertError` with its reason',
}

const verify: Remedies<VerifyErrorCode> = {
  unsupported: 'Compare by other means: a type that only its network knows, or a system transaction',
  malformed: '`field` names the member: the answer is of another form than its type',
  invalid_signature: 'The answer is false, or of a network with other rules: ask another node',
  invalid_proof: 'The proof is false or cut off: ask another node',
  mismatch: 'The answer is false: ask another node, and do not believe this one',
  unproven: 'Name an `anchor`, ask a node that gives proofs, or take `consistent`',
}

const fees: Remedies<GasFeesErrorCode> = {
  unsupported: 'Compare the chain id; a chain without EIP-1559 takes a gas price',
  unauthorized: 'Compare key and secret',
  unavailable: 'Ask again after `retryAfterMs`',
  timeout: 'Ask again; fees are of the next block anyway',
  aborted: 'None: your own `signal` ended it',
  connect: 'Is the address right, and does something listen there?',
  http_status: '`httpStatus` says more; 403 a rule of the project, 429 a limit',
  invalid_response: 'The address is that of another API, or a node gives fees in a form of its own',
  malformed: 'The message names the argument and the form',
  missing_percentiles: 'Ask `eth_feeHistory` for the `percentiles` of the strategy',
}

const ipfs: Remedies<IpfsErrorCode> = {
  timeout: 'Ask again, or raise `timeoutMs`: it is the longest silence, not the whole time',
  aborted: 'None: your own `signal` ended it',
  connect: 'Is the address right, and does something listen there?',
  http_status: 'The message has the words of the host; 401 is a wrong key or secret, 413 too much at once',
  truncated: 'Read again: what came is no whole file',
  stream_error: 'The message has the words of the host: something failed after it had begun to answer',
  invalid_response: 'The address is that of another API',
  mismatch: 'Do not use the bytes: the host sent others than were asked for, or named another CID',
  unverified: 'Ask a host that gives blocks, or take `consistent`',
  bad_argument: 'The message names the parameter and what was expected',
  unsupported: 'This service does not do it; see what differs from Kubo',
  not_found: 'Compare the CID and the path; with `ipfs.gateways`, the service fetches what it lacks',
  not_pinned: 'None needed, if it was to be unpinned',
  is_directory: 'Name a file below it, or use `ls` or `get`',
  too_large: 'Send it in several requests, as the client does by itself, or raise the cap',
  bad_content: 'The block or archive is damaged: make it anew',
  storage: 'The message says what to do: free the disk, give permission, raise the limit of open files',
  unavailable: 'Wait for `Retry-After`; `/status` of the gateway says what ails the store',
  forbidden: 'A quota or a rule of the project; ask its operator',
  closed: 'Open it again',
}

const auth: Remedies<AuthErrorCode> = {
  invalid_key: 'Take 1 to 128 letters, digits, `-` and `_`, or `sha256:` and 64 hex digits',
  invalid_secret: 'Take 1 to 1,024 characters without control characters, and two secrets of a key at most',
  missing_secret: 'Give the key a secret, or take `requireSecret` away',
  duplicate_key: 'List each key once: a key belongs to one project',
  invalid_credentials: 'HTTP Basic takes no colon in the user, and no control characters',
  invalid_rules: 'The message names the entry; a list has 30 at most',
  invalid_jwt_key: 'Give a public key in PEM: RSA of 2,048 to 8,192 bits or P-256, three at most',
  unknown_project: 'Make the project first',
}

const metering: Remedies<MeteringErrorCode> = {
  invalid_plan: 'The message names the member and what it has to be',
  invalid_price: 'Take a whole number of credits from 0 on',
  too_large: 'Free the disk or wait for the store: the spool is at its bound',
  timeout: 'Look at the store: it is slow or away; the usage waits',
  in_use: 'Give each process a spool of its own (`usage.spool`, `dataDir`)',
  closed: 'Open it again',
}

const stores: Remedies<StoresErrorCode> = {
  unsupported_runtime: 'SQLite needs Node 22.13 or newer; or take PostgreSQL',
  unavailable: '`fault` says why: is it up, is the disk full, is the password right, may it be written?',
  corrupt: 'Put a backup back (`wayleave restore`)',
  newer_version: 'Run the newer version again, or start with an empty database',
  closed: 'Open it again',
  invalid: 'The message names the value and what is expected',
  not_found: 'Compare the id: the record was removed, or never made',
  conflict: 'The message names the other record: remove it, or take another name',
}

const admin: Remedies<AdminErrorCode> = {
  invalid_json: 'Send JSON in UTF-8, each member once',
  unauthorized: 'Send `Authorization: Bearer` with a token that is valid',
  forbidden: 'Use a token with one of the scopes that the message names',
  not_found: 'Compare path and ids; `GET /openapi.json` lists all routes',
  method_not_allowed: '`Allow` names the methods of the path',
  conflict: 'The message names what stands in the way; what the configuration has is changed there',
  too_large: 'Divide the request: 1 MiB at most',
  unsupported_type: 'Send `Content-Type: application/json`, uncompressed',
  invalid: '`issues` names each value, with what is expected',
  internal: 'The log has the cause under the id in `detail`',
  unavailable: 'Wait for `Retry-After`; look whether the change was made all the same',
  invalid_options: 'The message names the option',
  unreachable: 'Is the address that of the admin listener, and reachable from here?',
  unreadable: 'The address is that of something else, such as the JSON-RPC listener',
}

const devNode: Remedies<DevNodeErrorCode> = {
  unsupported_platform: 'Use Linux with glibc, macOS or Windows, x64 or arm64',
  binary_missing: 'Install again without leaving optional dependencies out',
  start_failed: 'The message has the last words of the chain: a port in use, too little memory',
  state_unreadable: 'Take another folder, or a newer version; the file stays as it is',
  state_in_use: 'End the other process, or take another folder',
  aborted: 'None: your own `signal` ended it',
}

/** The error classes of the packages, with the remedy for each of their codes; the compiler sees to it that none is missing. */
export const errorClasses: readonly {
  readonly name: string
  readonly packageName: string
  readonly remedies: Remedies<string>
}[] = [
  { name: 'RpcError', packageName: 'jsonrpc-core', remedies: rpc },
  { name: 'VerifyError', packageName: 'evm-verify', remedies: verify },
  { name: 'GasFeesError', packageName: 'gas-fees', remedies: fees },
  { name: 'IpfsError', packageName: 'ipfs-http', remedies: ipfs },
  { name: 'AdminError', packageName: 'admin-api', remedies: admin },
  { name: 'AuthError', packageName: 'auth', remedies: auth },
  { name: 'MeteringError', packageName: 'metering', remedies: metering },
  { name: 'StoresError', packageName: 'stores', remedies: stores },
  { name: 'DevNodeError', packageName: 'dev-node', remedies: devNode },
]

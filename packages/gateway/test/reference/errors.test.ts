import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { closeReasons, RpcError, type RpcErrorCode } from '@wayleave/jsonrpc-core'
import { expect, it } from 'vitest'
import { asJson, describe as describeError, refusalAnswer, statusOf } from '../../src/errors.ts'
import type { Refusal } from '../../src/refusal.ts'

const root = fileURLToPath(new URL('../../../..', import.meta.url))

/** The remedy for each refusal, for the caller or the operator. */
const remedies: Readonly<Record<Refusal['refused'], string>> = {
  two_hosts: 'Send one `Host`: a proxy in front adds one',
  two_origins: 'Send one `Origin`',
  two_authorizations: 'Send one `Authorization`: the URL and a header may each have made one',
  two_keys: 'Send the key once: in the path or in `X-Api-Key`',
  foreign: 'The gateway serves this machine alone (`onlyLocal`): ask it by `localhost`, or take the member away',
  lost: 'Use `/v3/<key>`, `/<network>/v3/<key>`, or `/ws/v3/<key>`',
  no_network: 'Name the network in path or host, or give the configuration a `defaultNetwork`',
  unknown_network: 'Compare the name with `networks` of the configuration; `GET /status` lists them',
  unknown_api_version: 'Use one of the versions that the message lists, or none',
  no_key: 'Send a key: `/v3/<key>`, or `X-Api-Key`',
  unknown_key: 'The key is wrong, or belongs to another gateway: look for it in `projects`, or by `wayleave keys list`',
  revoked: 'The key is disabled, has expired or was removed, or its project is disabled: the log says which',
  wrong_secret: 'Send the secret of this very key by HTTP Basic',
  secret_required: 'The project has `requireSecret`: send the secret by HTTP Basic',
  wrong_token:
    'The JWT is expired, of another audience, or signed by another key: the log says which; compare with `projects[].jwt`',
  token_required: 'The project takes JWTs alone: send `Authorization: Bearer <JWT>`',
  denied: 'A rule of the project does not allow it; the log and `wayleave_denials_total` tell which one',
  denied_network: 'The project may not use this network: `projects[].networks`',
}

/** One refusal of each kind, as admission makes it. */
const refusals: readonly Refusal[] = (Object.keys(remedies) as readonly Refusal['refused'][]).map(
  (refused): Refusal => {
    switch (refused) {
      case 'lost':
        return { refused, version: undefined }
      case 'unknown_network':
        return { refused, network: 'x', why: undefined }
      case 'unknown_api_version':
        return { refused, network: 'x', segment: 'v0', known: ['v0_8'] }
      case 'denied_network':
        return { refused, network: 'x' }
      default:
        return { refused }
    }
  },
)

/** Why a call gets no answer, and what to do about it. */
const failures: Readonly<Record<Exclude<RpcErrorCode, 'rpc'>, readonly [cause: string, remedy: string]>> = {
  timeout: [
    'No upstream answered in time',
    'Raise `timeouts` or `limits.requestTimeoutMs` for slow methods; `wayleave_upstream_seconds` tells whether an upstream is slow',
  ],
  aborted: [
    'The caller left; nobody reads the answer, and usage and metrics count 499',
    'None; many of them: the client gives up sooner than the gateway',
  ],
  connect: ['No connection to an upstream', 'Is the node there, its address right? `GET /status` says'],
  disconnected: [
    'The connection to an upstream broke',
    'Look at the node, and at proxies between that cut connections',
  ],
  http_status: [
    'An upstream answered with an HTTP status alone; 503 and -32005 where it was 429',
    '`wayleave_upstream_failures_total` tells the kind: a wrong key, a spent plan, a failing node',
  ],
  invalid_response: [
    'An upstream answered with what is no JSON-RPC',
    'Its URL is that of a web page, or a proxy before it answers',
  ],
  too_large: [
    'The answer is longer than `limits.maxUpstreamBytes`, or logs that are held whole than 25 MB',
    'Ask for less, such as a shorter range; or raise the limit',
  ],
  overloaded: [
    'No upstream has room, or a limit of the process is met: the message names the member of `limits`',
    'Retry after `Retry-After`; raise the limit, or add an upstream',
  ],
  unavailable: [
    'No upstream could be asked: the message says why, for each reason; -32005 where all are rate limited',
    '`GET /status`: bring one back, or add a `tier: fallback`',
  ],
  denied: [
    'A rule of the project, or a limit of its key or project (402 and 429, both -32005)',
    'The log tells the rule. 429: slow down. 402: a quota is spent until the time in the message',
  ],
}

/** The cause of each code of JSON-RPC that the gateway itself gives, and what to do about it. */
const codes: Readonly<Record<number, readonly [cause: string, remedy: string]>> = {
  [-32700]: ['The body is no JSON, or is not what its `Content-Encoding` says', 'Correct the client'],
  [-32600]: [
    'The request is no JSON-RPC request: its form, path, HTTP method, length, or a directive',
    'The message tells what was expected',
  ],
  [-32601]: [
    'The method does not exist, is denied by `methods.deny`, or the network has nothing to serve it with',
    'Compare its name; look at `methods.deny`; subscriptions need a WebSocket',
  ],
  [-32602]: [
    'The params are wrong, or a range is longer than `limits.maxLogBlocks`',
    'The message tells what was expected',
  ],
  [-32603]: [
    'No upstream answered, none gave an answer that verifies, or the gateway failed',
    'The message tells which; the log has more under the trace id',
  ],
  [-32000]: [
    'The filter or the subscription is not known (any more), or a transaction was not taken',
    'Make it anew; for a transaction, the message has the words of the node',
  ],
  [-32002]: [
    'The key, its project or the network does not admit the caller, or no upstream answered in time',
    'The message tells which; HTTP has 401, 403, 404 or 504',
  ],
  [-32003]: ['The answer is too long', 'Ask for less, or raise `limits.maxUpstreamBytes`'],
  [-32005]: [
    'A limit is met: of the key, the project, the connection, the process, or the rate limits of all upstreams',
    'The message names it; HTTP has 402, 429 or 503, and `Retry-After` where waiting helps',
  ],
  66: ['Starknet: the subscription id is not known', 'Subscribe anew'],
  4444: ['No upstream has the history that the call asks for', 'Add an archive node to the network'],
}

/** The cause of each HTTP status that listeners answer with, but for 200, and what to do about it. */
const statuses: Readonly<Record<number, readonly [cause: string, remedy: string]>> = {
  400: ['the request is wrong in itself', 'the message tells what was expected'],
  401: [
    'the key, the secret or the token is missing or wrong; on the admin listener, its token',
    'compare it; to repeat the call does not help',
  ],
  402: ['a quota of a day or month is spent', 'wait until the time in the message, or raise the plan'],
  403: ['the caller is known, and may not', 'the log tells which rule, by the trace id'],
  404: ['no such path, network, filter or upstream', 'compare the address; make a filter anew'],
  405: ['another HTTP method is expected', '`Allow` names it'],
  408: [
    'the body of a request to the admin listener did not come within `limits.readTimeoutMs`',
    'send it faster, or raise the limit',
  ],
  409: ['a reload would need a restart (`POST /reload`)', 'restart, or take the change back'],
  413: [
    'the body is longer than `limits.maxBodyBytes`, or than a sign-in to the console may be',
    'send less at once, or raise the limit',
  ],
  415: [
    'the encoding of the body is not known; a sign-in to the console is not the JSON that it has to be',
    '`Accept-Encoding` names those that are',
  ],
  422: ['the configuration is wrong, and stays as it was (`POST /reload`)', 'mend what `problems` names'],
  426: ['the path takes WebSocket connections', 'open one, or use the path without `/ws`'],
  429: [
    'a rate is met; at the sign-in of the console, too many wrong tokens came lately',
    'slow down: `Retry-After` says for how long',
  ],
  499: [
    'the caller left; in usage and metrics alone',
    'none; many of them: the client gives up sooner than the gateway',
  ],
  500: ['the gateway failed', 'its log has the stack, by the trace id: report it'],
  502: ['no upstream gave an answer', 'a read may be repeated; `wayleave explain` tells what the upstreams did'],
  503: [
    'no upstream could be asked, a limit of the process is met, or the gateway starts or ends',
    'repeat after `Retry-After`; the message names the limit',
  ],
  504: ['no upstream answered in time', 'a read may be repeated; raise `timeouts` for slow methods'],
}

/**
 * The cause of each code with which the gateway closes a WebSocket, and what to do about it. Source of the numbers: RFC 6455 §7.4.1, IANA's
 * registry.
 */
const closes: Readonly<Record<number, readonly [cause: string, remedy: string]>> = {
  1001: [
    'nothing was sent for `limits.webSocketIdleMs`, or the network is not served any more',
    'connect again when there is something to send',
  ],
  1003: ['a binary message came that is no text', 'send JSON as text'],
  1008: [
    'the key, its secret or its token is not valid any more, or a quota is spent',
    'connect with one that is valid; after a spent quota, when it has credits again',
  ],
  1011: ['the gateway failed', 'connect again; its log has the stack'],
  1012: ['the gateway restarts', 'connect again, and go on from the last block that was told'],
  1013: [
    'too much is unread, events were lost, or a limit is met',
    'connect again later, and go on from the last block that was told',
  ],
}

/** Sources of what callers of JSON-RPC and operators are answered. */
const sources = globSync(
  'packages/{gateway,network,http-server,jsonrpc-core,evm-events,metering,upstream}/src/**/*.ts',
  { cwd: root },
)
  .filter((file) => !/\/(?:testing|simulation)\//.test(file))
  .map((file) => readFileSync(join(root, file), 'utf8'))

/** Collects the numbers that a pattern finds in all sources. */
function found(pattern: RegExp): readonly number[] {
  const all = sources.flatMap((text) => [...text.matchAll(pattern)].map(([, number]) => Number(number)))
  return [...new Set(all)].toSorted((a, b) => a - b)
}

const numbersOf = (table: Readonly<Record<number, unknown>>): readonly number[] =>
  Object.keys(table)
    .map(Number)
    .toSorted((a, b) => a - b)

const row = (...cells: readonly (string | number)[]): string =>
  `| ${cells.map((cell) => String(cell).replaceAll('|', String.raw`\|`)).join(' | ')} |`

it('docs/errors.md tells every error with its cause and remedy; vitest -u writes it', async () => {
  const refused = refusals.map((refusal) => {
    const answer = refusalAnswer(refusal)
    const { error } = asJson(answer)
    return row(answer.status, error.code, `\`${refusal.refused}\``, `\`${error.message}\``, remedies[refusal.refused])
  })
  const failed = Object.entries(failures).map(([code, [cause, remedy]]) => {
    const error = new RpcError(code as RpcErrorCode, 'the message')
    const status = code === 'aborted' ? 499 : statusOf(error)
    return row(status, describeError(error).code, `\`${code}\``, cause, remedy)
  })
  const text = `# Errors

What the gateway itself answers where it does not serve a call: the codes of JSON-RPC, the HTTP statuses and the codes with which it closes a
WebSocket. Errors of nodes, such as a revert (3), pass as they are. This page is made from the code that words them; its test compares.
Each answer has the trace id of its log lines: \`X-Trace-Id\`, and \`data.traceId\` of the error.

## Codes of JSON-RPC

| code | cause | remedy |
| --- | --- | --- |
${numbersOf(codes)
  .map((code) => row(code, ...codes[code]!))
  .join('\n')}

## Requests that are not admitted

The reason is the label of \`wayleave_admission_refusals_total\`.

| HTTP | code | reason | message | remedy |
| --- | --- | --- | --- | --- |
${refused.join('\n')}

## Calls that no upstream answered

The reason is the label \`code\` of \`wayleave_rejected_calls_total\`. In a batch each call has its own error, and the HTTP status is 200.

| HTTP | code | reason | cause | remedy |
| --- | --- | --- | --- | --- |
${failed.join('\n')}

## HTTP statuses

| status | cause | remedy |
| --- | --- | --- |
${numbersOf(statuses)
  .map((status) => row(status, ...statuses[status]!))
  .join('\n')}

## Codes that close a WebSocket

| code | cause | remedy |
| --- | --- | --- |
${numbersOf(closes)
  .map((code) => row(code, ...closes[code]!))
  .join('\n')}
`
  await expect(text).toMatchFileSnapshot('../../../../docs/errors.md')
})

it('no code of JSON-RPC is made that the page does not tell, and none is told that is not made', () => {
  // Codes of Starknet that are compared, and of nodes that are read, are not made.
  const made = [...found(/\bcode: (-?\d{2,})\b/g), ...found(/\[(-32\d{3}), '/g)]
  expect(
    [...new Set(made)].filter((code) => code !== -32 && closes[code] === undefined).toSorted((a, b) => a - b),
  ).toEqual(numbersOf(codes))
})

it('no HTTP status is sent that the page does not tell', () => {
  const sent = [
    ...found(/(?:jsonAnswer|plainAnswer|json)\((\d{3}),/g),
    ...found(/\bstatus: (\d{3})\b/g),
    ...found(/\breturn (4\d\d|5\d\d)\b/g),
    ...found(/[?:] (4\d\d|5\d\d)\b/g),
  ]
  expect([...new Set(sent)].filter((status) => status >= 400 && statuses[status] === undefined)).toEqual([])
})

it('no WebSocket is closed by a code that the page does not tell, and none is told that is not used', () => {
  expect(new Set(Object.values(closeReasons).map(({ code }) => code))).toEqual(new Set(numbersOf(closes)))
  const isUsed = (reason: string): boolean =>
    sources.some((text) => new RegExp(`(?:close\\w*\\(.*|CloseReason = )'${reason}'`, 'i').test(text))
  expect(Object.keys(closeReasons).filter((reason) => !isUsed(reason))).toEqual([])
  expect(found(/close\w*\((?:[\w.]+, )*(1\d{3})\b/gi)).toEqual([])
})

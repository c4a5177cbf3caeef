import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Operator } from '@wayleave/admin-api'
import type { AddressRange } from '@wayleave/auth'
import { clientAddress, type HttpAnswer, plainAnswer, readBody, sendAnswer } from '@wayleave/http-server'
import type { Log } from '@wayleave/telemetry'
import { cookieName, isOwnPage, type Operators } from './operators.ts'
import { sessionMs } from './console-sessions.ts'
import { pageHeaders, serveFile } from './serve-files.ts'
import type { StaticFiles } from './static-files.ts'

/** The path of the console. */
export const consolePath = '/console/'

/** Serves the console: `path` is what follows {@link consolePath}. */
export type ServeConsole = (request: IncomingMessage, response: ServerResponse, path: string) => void

/** The facts that the page is told. */
export interface ConsoleFacts {
  /** The version of the program; empty where it is not known. */
  readonly version: string
  /** `host:pid`. */
  readonly process: string
  readonly networks: readonly {
    readonly name: string
    readonly kind: string
    readonly chainId: number | string | undefined
  }[]
  readonly apis: { readonly ipfs: boolean; readonly gas: boolean; readonly replay: boolean }
}

export interface ServeConsoleOptions {
  readonly files: StaticFiles
  readonly operators: Operators
  readonly facts: ConsoleFacts
  /** Makes the origin of JSON-RPC for a page of this host name. */
  readonly rpcOf: (hostname: string) => string
  readonly trustedProxies: readonly AddressRange[]
  readonly log: Pick<Log, 'info' | 'repeats'>
}

/** Longest body of a sign-in, in bytes. */
const longestSignIn = 4_096
const sessionPath = 'session'

/** Creates the server of the page, and of its sign-in at `/console/session`. Requests were meant for this host already. */
export function createConsole(options: ServeConsoleOptions): ServeConsole {
  const { files, operators, facts, rpcOf, trustedProxies, log } = options

  return (request, response, path) => {
    const rpc = rpcOf(new URL(`http://${request.headers.host}`).hostname)
    const headers = pageHeaders(rpc)
    if (path !== sessionPath) return serveFile(request, response, { files, path, headers })
    headers.push('Cache-Control', 'no-store')
    const send = (answer: HttpAnswer): void => sendAnswer(response, answer, headers)
    if (!isOwnPage(request.headers)) return send(foreign)
    switch (request.method) {
      case 'GET':
      case 'HEAD':
        return send(report(operators.of(request), rpc))
      case 'POST':
        return void readSignIn(request, (token) => {
          send(typeof token === 'string' ? signIn(request, token, rpc) : token)
          if (token === tooLong) response.once('finish', () => request.destroy())
        })
      case 'DELETE':
        operators.signOut(request)
        response.writeHead(204, [...headers, 'Set-Cookie', cookieOf(request, '', 0)])
        return void response.end()
      default:
        return send(useOthers)
    }
  }

  function signIn(request: IncomingMessage, token: string, rpc: string): HttpAnswer {
    const { socket, headers } = request
    const forwarded = headers['x-forwarded-for']
    const address = clientAddress(socket.remoteAddress, forwarded?.toString(), trustedProxies)
    const signed = operators.signIn(token, address)
    if ('secrets' in signed) {
      log.info({ operator: signed.operator.name, address }, 'an operator signed in to the console')
      const { id, csrf } = signed.secrets
      const cookie = cookieOf(request, id, sessionMs / 1_000)
      return { ...report(signed.operator, rpc, { csrf }), headers: ['Set-Cookie', cookie] }
    }
    log.repeats.warn(['console', signed.refused], { address }, 'a sign-in to the console was refused')
    if (signed.refused === 'wrong') return wrong
    return plainAnswer(429, 'too many wrong tokens lately: wait a minute\n', [
      'Retry-After',
      String(Math.ceil(signed.waitMs / 1_000)),
    ])
  }

  /** Tells a page its session, and the rest only if it has one. */
  function report(operator: Operator | undefined, rpc: string, further: object = {}): HttpAnswer {
    const { version, ...others } = facts
    const open = operators.isOpen
    const body =
      operator === undefined
        ? { open, signedIn: false, version }
        : { open, signedIn: true, name: operator.name, scopes: operator.scopes, version, ...others, rpc, ...further }
    return { status: 200, contentType: 'application/json', body: `${JSON.stringify(body)}\n`, headers: [] }
  }
}

/** Reads the token of a sign-in, or the answer that refuses it. Only a page of this host can send such a request. */
function readSignIn(request: IncomingMessage, done: (token: string | HttpAnswer) => void): void {
  const { origin, 'content-type': type = '', 'content-length': length } = request.headers
  if (origin === undefined) return done(foreign)
  if (!/^application\/json *(?:;|$)/i.test(type)) return done(useJson)
  readBody(
    request,
    length,
    longestSignIn,
    () => true,
    (body) => done(typeof body === 'string' ? tooLong : (tokenIn(body) ?? useJson)),
  )
}

function tokenIn(body: Uint8Array): string | undefined {
  try {
    const { token } = JSON.parse(Buffer.from(body).toString()) as { readonly token?: unknown }
    return typeof token === 'string' ? token : undefined
  } catch {
    return undefined
  }
}

function cookieOf({ headers: { host, origin } }: IncomingMessage, id: string, seconds: number): string {
  // Behind a proxy that speaks TLS, only that may have it.
  const secure = origin?.startsWith('https:') === true ? '; Secure' : ''
  return `${cookieName(host)}=${id}; HttpOnly; SameSite=Strict; Path=/; Max-Age=${seconds}${secure}`
}

const foreign = plainAnswer(403, 'only the page of this console, at this host, may ask for a session\n')
const useJson = plainAnswer(415, 'expected Content-Type: application/json and { "token": "<admin token>" }\n')
const tooLong = plainAnswer(413, `expected at most ${longestSignIn} bytes\n`)
const wrong = plainAnswer(401, 'this admin token is unknown, or has expired\n')
const useOthers = plainAnswer(405, 'use GET, POST or DELETE\n', ['Allow', 'GET, HEAD, POST, DELETE'])

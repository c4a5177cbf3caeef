import type { IncomingMessage, ServerResponse } from 'node:http'
import { nosniff, plainAnswer, sendAnswer, useGet } from '@wayleave/http-server'
import type { StaticFile, StaticFiles } from './static-files.ts'

/** Makes the headers of all answers below `/console/`, flat: nothing of it is for pages of elsewhere. `rpc`: the origin of JSON-RPC. */
export function pageHeaders(rpc: string): string[] {
  return ['Content-Security-Policy', policyOf(rpc), ...nosniff, ...fixedHeaders]
}

const fixedHeaders = Object.entries({
  'Referrer-Policy': 'no-referrer',
  'Cross-Origin-Opener-Policy': 'same-origin',
  'Cross-Origin-Resource-Policy': 'same-origin',
  'X-Frame-Options': 'DENY',
}).flat()

/** Serves a file below `/console/`: `path` is what follows that. One without a dot is a place of the page, which finds it itself. */
export function serveFile(
  request: IncomingMessage,
  response: ServerResponse,
  { files, path, headers }: { readonly files: StaticFiles; readonly path: string; readonly headers: string[] },
): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') return sendAnswer(response, useGet(), headers)
  if (!isMeantForPages(request.headers)) return sendAnswer(response, elsewhere, headers)
  const file = files.find(path.includes('.') ? path : '')
  if (file === undefined) return sendAnswer(response, noFile, headers)
  sendFile(request, response, file, headers)
}

function sendFile(request: IncomingMessage, response: ServerResponse, file: StaticFile, headers: string[]): void {
  const { 'accept-encoding': accepted, 'if-none-match': known } = request.headers
  const isGzip = acceptsGzip(accepted)
  const { contentType, etag } = file
  const body = isGzip ? file.gzip : file.body
  // A strong tag names bytes, and these are others.
  const tag = isGzip ? etag.replace(/"$/, '-gzip"') : etag
  headers.push('ETag', tag, 'Cache-Control', 'no-cache', 'Vary', 'Accept-Encoding')
  if (isKnown(known, tag)) return void response.writeHead(304, headers).end()
  headers.push('Content-Type', contentType, 'Content-Length', String(body.byteLength))
  if (isGzip) headers.push('Content-Encoding', 'gzip')
  response.writeHead(200, headers)
  response.end(request.method === 'HEAD' ? undefined : body)
}

/** The policy of the page: its own files, its own scripts, and questions to this listener and to that of JSON-RPC. */
function policyOf(rpc: string): string {
  return [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    "img-src 'self' data:",
    `connect-src 'self' ${rpc}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
  ].join('; ')
}

/** Tells whether files may go to whoever asks: this page itself, a person, by a link from anywhere, or no browser. */
function isMeantForPages({
  'sec-fetch-site': site = 'none',
  'sec-fetch-mode': mode,
  'sec-fetch-dest': destination,
}: IncomingMessage['headers']): boolean {
  return site === 'none' || site === 'same-origin' || (mode === 'navigate' && destination === 'document')
}

/** Source: RFC 9110 §12.5.3. */
function acceptsGzip(accepted = ''): boolean {
  return accepted
    .toString()
    .split(',')
    .some((coding) => /^\s*(?:x-)?gzip\s*(?:;\s*q=(?:1|0\.0*[1-9])[\d.]*\s*)?$/i.test(coding))
}

/** Source: RFC 9110 §13.1.2. */
function isKnown(known: string | undefined, tag: string): boolean {
  if (known === undefined) return false
  return known.split(',').some((each) => ['*', tag].includes(each.trim().replace(/^W\//, '')))
}

const noFile = plainAnswer(404, 'the console has no such file\n')
const elsewhere = plainAnswer(403, 'files of the console are for the console itself\n')

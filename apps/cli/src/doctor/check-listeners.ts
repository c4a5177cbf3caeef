import { request } from 'node:http'
import { request as requestTls } from 'node:https'
import { isIP } from 'node:net'
import type { ConfigSummary } from '@wayleave/gateway'
import { tryToListen } from '../free-port.ts'
import { type Check, fail, type Finding, ok } from './finding.ts'
import { findPortHolder } from './port-holder.ts'
import { withDeadline } from './with-deadline.ts'

/** Longest wait for the answer of a program that holds a port, in ms. */
const answerMs = 2_000

/** Creates the check of the addresses that the gateway listens on: free, or held by a gateway, or by another program. */
export function checkListeners({ rpc, ipfs, admin, tls }: ConfigSummary['listeners']): Check {
  const addresses = [
    { member: 'rpc', address: rpc, tls },
    { member: 'ipfs', address: ipfs, tls },
    { member: 'admin', address: admin, tls: false },
  ]
  return {
    subject: 'listeners',
    async run(signal) {
      const findings = await Promise.all(
        addresses.map(({ member, address, tls: speaksTls }) =>
          address === undefined ? [] : checkAddress(`listen.${member}`, address, speaksTls, signal),
        ),
      )
      return findings.flat()
    },
  }
}

async function checkAddress(
  member: string,
  address: string,
  speaksTls: boolean,
  signal: AbortSignal,
): Promise<readonly Finding[]> {
  const { host, port } = partsOf(address)
  const subject = `${member} (${address})`
  const code = port === 0 ? undefined : await tryToListen(host, port)
  if (code === undefined) return [ok('port_free', subject, port === 0 ? 'any free port' : 'free')]
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND') {
    const remedy = `name an address of this machine (ip address), or 0.0.0.0 for all of them, in ${member}`
    return [fail('address_unknown', subject, `this machine has no address ${host}`, remedy)]
  }
  if (code === 'EACCES') {
    const remedy = `choose a port from 1024 on in ${member}, or give the process CAP_NET_BIND_SERVICE`
    return [fail('port_denied', subject, `this user may not listen on port ${port}`, remedy)]
  }
  if (code !== 'EADDRINUSE')
    return [fail('port_unusable', subject, `it cannot be used (${code})`, `choose another in ${member}`)]
  const [answer, holder] = await Promise.all([
    withDeadline(answerMs, signal, (bounded) => askHealth(host, port, speaksTls, bounded)),
    findPortHolder(port),
  ])
  const by = holder === undefined ? '' : ` (${holder.program}, process ${holder.pid})`
  const isNamedSo = holder?.program.includes('wayleave') === true
  if (answer === 'none' && isNamedSo) {
    const text = `the gateway there${by} gives no answer within ${answerMs / 1_000} s`
    return [fail('gateway_silent', subject, text, 'see its CPU and the end of its log, then restart it')]
  }
  if (answer === 'gateway' || isNamedSo) {
    return [ok('gateway_running', subject, `a gateway is running there${by}`)]
  }
  const whom = holder === undefined ? 'another program, of another user' : `another program${by}`
  return [
    fail('port_taken', subject, `it is held by ${whom}`, `stop that program, or choose another port in ${member}`),
  ]
}

/** Splits `host:port`; an IPv6 host stands in brackets. */
function partsOf(address: string): { readonly host: string; readonly port: number } {
  const at = address.lastIndexOf(':')
  return { host: address.slice(0, at).replace(/^\[|\]$/g, ''), port: Number(address.slice(at + 1)) }
}

/**
 * Asks for `/healthz`: `gateway` where it is answered as a gateway does, `other` by anything else, `none` without a whole answer until
 * `signal` aborts. Its certificate need not name this address.
 */
function askHealth(
  host: string,
  port: number,
  speaksTls: boolean,
  signal: AbortSignal,
): Promise<'gateway' | 'other' | 'none'> {
  const wildcards: Readonly<Record<string, string>> = { '0.0.0.0': '127.0.0.1', '::': '::1' }
  const options = { host: wildcards[host] ?? host, port, path: '/healthz', signal, agent: false as const }
  return new Promise((resolve) => {
    const servername = isIP(options.host) === 0 ? options.host : ''
    const sent = speaksTls ? requestTls({ ...options, rejectUnauthorized: false, servername }) : request(options)
    const giveUp = (): void => resolve(signal.aborted ? 'none' : 'other')
    sent.on('error', giveUp)
    sent.on('response', (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('error', giveUp)
      response.on('data', (chunk: string) => {
        if (text.length < 100) text += chunk
        else response.destroy()
      })
      response.on('close', () => resolve(response.statusCode === 200 && text === 'ok\n' ? 'gateway' : 'other'))
    })
    sent.end()
  })
}

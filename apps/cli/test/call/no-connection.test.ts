import { describe, expect, it } from 'vitest'
import { whyNoConnection } from '../../src/call/no-connection.ts'

describe('whyNoConnection', () => {
  it.each([
    [
      'ECONNREFUSED',
      'nothing listens at https://host:1: start a gateway with wayleave dev, or name another by --rpc-url',
    ],
    ['ENOTFOUND', 'there is no host host: check the URL'],
    ['EAI_AGAIN', 'the name host cannot be looked up: is there a network?'],
    ['UND_ERR_CONNECT_TIMEOUT', 'https://host:1 cannot be reached: is there a network, and the URL right?'],
    ['ERR_SSL_WRONG_VERSION_NUMBER', 'https://host:1 does not speak TLS: is it an http URL?'],
    ['CERT_HAS_EXPIRED', 'the certificate of https://host:1 is not trusted here (CERT_HAS_EXPIRED)'],
    ['ECONNRESET', undefined],
  ])('%s, in the message or as the cause', (code, words) => {
    expect(whyNoConnection(new Error(`no connection (${code})`), 'https://host:1')).toBe(words)
    expect(whyNoConnection(new Error('failed', { cause: new Error(code) }), 'https://host:1')).toBe(words)
  })

  it('knows nothing of an error without a code', () => {
    expect(whyNoConnection(new Error('no WebSocket connection could be made'), 'ws://host')).toBeUndefined()
  })
})

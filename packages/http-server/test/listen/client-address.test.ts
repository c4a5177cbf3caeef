import { parseAddressRange } from '@wayleave/auth'
import { describe, expect, it } from 'vitest'
import { clientAddress } from '../../src/listen/client-address.ts'

const trusted = ['10.0.0.0/8', '2001:db8::/32'].map((text) => parseAddressRange(text)!)

describe('the address of a caller', () => {
  it.each<[string, string, string | undefined, string]>([
    ['of a connection without the header', '10.0.0.1', undefined, '10.0.0.1'],
    ['told by somebody who is not trusted', '192.0.2.1', '198.51.100.1', '192.0.2.1'],
    ['told by a proxy', '10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['told by a proxy in IPv6 form', '::ffff:10.0.0.1', '198.51.100.1', '198.51.100.1'],
    ['told by two proxies', '2001:db8::1', '198.51.100.1, 10.9.9.9', '198.51.100.1'],
    ['that he made up himself', '10.0.0.1', '203.0.113.9, 198.51.100.1', '198.51.100.1'],
    ['that he made up, in the name of a proxy', '10.0.0.1', '10.1.1.1, 198.51.100.1', '198.51.100.1'],
    ['who is a proxy himself', '10.0.0.1', '10.1.1.1,10.2.2.2', '10.1.1.1'],
    ['with a port', '10.0.0.1', '198.51.100.1:4711', '198.51.100.1'],
    ['of IPv6', '10.0.0.1', '2001:DB9::1', '2001:DB9::1'],
    ['of IPv6 with a port', '10.0.0.1', '[2001:db9::1]:4711', '2001:db9::1'],
    ['of IPv4 in IPv6 form', '10.0.0.1', '::ffff:198.51.100.1', '198.51.100.1'],
    ['of IPv4 in IPv6 form with a port', '10.0.0.1', '[::FFFF:198.51.100.1]:4711', '198.51.100.1'],
    ['of IPv4 in IPv6 form, in hex', '10.0.0.1', '::ffff:c633:6401', '198.51.100.1'],
    ['of IPv4 in IPv6 form, without a gap', '10.0.0.1', '0:0:0:0:0:ffff:c633:6401', '198.51.100.1'],
    ['behind proxies in IPv6 form', '::ffff:10.0.0.1', '198.51.100.1, ::ffff:a01:101', '198.51.100.1'],
    ['who connects in IPv6 form', '::ffff:198.51.100.1', '192.0.2.1', '198.51.100.1'],
    ['that is a name', '10.0.0.1', '198.51.100.1, unknown', ''],
    ['that is a block', '10.0.0.1', '198.51.100.0/24', ''],
    ['that is empty', '10.0.0.1', '', ''],
    ['that ends in nothing', '10.0.0.1', '198.51.100.1,', ''],
    ['behind more proxies than there are', '10.0.0.1', `198.51.100.1${',10.1.1.1'.repeat(40)}`, ''],
  ])('%s', (_, remote, header, address) => {
    expect(clientAddress(remote, header, trusted)).toBe(address)
  })

  it('is that of the connection where nobody is trusted, and empty once that has gone', () => {
    expect(clientAddress('10.0.0.1', '198.51.100.1', [])).toBe('10.0.0.1')
    expect(clientAddress(undefined, '198.51.100.1', trusted)).toBe('')
  })
})

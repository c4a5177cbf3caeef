import * as dagCbor from '@ipld/dag-cbor'
import { CID } from 'multiformats/cid'
import { describe, expect, test } from 'vitest'
import { decodeBlock, decodeNode, encodeNode, linksIn } from '../src/codecs.ts'
import { cidOf } from './local/read/dags.ts'

const text = (value: string): Uint8Array => Buffer.from(value)
const target = CID.parse('bafyreihpfojwp2pbkkfrhel533opsirvh5th67gvzaq5gryai2hvzksmg4')
const payload = Buffer.from(target.bytes).toString('base64url')
const link = `"link":{"/":"${target}"}`
const put = (node: string): CID => cidOf(encodeNode(text(node), 'dag-json', 'dag-jose'), 0x85)

// CIDs and texts from Kubo 0.41: `dag/put?store-codec=dag-jose`, and `dag/get` of what that stored.
const kubo: readonly (readonly [string, cid: string, read: string])[] = [
  [
    `{"payload":"${payload}","signatures":[{"protected":"AQID","signature":"BAUG","header":{"alg":"x","n":1}}]}`,
    'bagcqcerapgoqg6wpw3hbtkwkljepah5dqd22nqoda3pj76jfbznvrqwgfbwa',
    `{${link},"payload":"${payload}","signatures":[{"header":{"alg":"x","n":1},"protected":"AQID","signature":"BAUG"}]}`,
  ],
  [
    `{"payload":"${payload}","signature":"BAUG","protected":"AQID","extra":1}`,
    'bagcqcerachhsd3x7jk5pzonxv6x4dlevu3wah667tjjea2223hqe5r3eqrnq',
    `{${link},"payload":"${payload}","signatures":[{"protected":"AQID","signature":"BAUG"}]}`,
  ],
  [
    `{"payload":"${payload}","signatures":[]}`,
    'bagcqceraax4b3r36hbgrezxqbw5odlw5tisa5tv2qc2cxb3lvqk7sxarwlxa',
    `{${link},"payload":"${payload}","signatures":[]}`,
  ],
  [
    `{"payload":"${payload}","link":{"/":"bafkqaaa"},"signature":"BAUG"}`,
    'bagcqceraleip24xcvbijkh7tav5vtreuyu2b5eoapdngxkmlxyx3aak5nvtq',
    `{${link},"payload":"${payload}","signatures":[{"signature":"BAUG"}]}`,
  ],
  [
    '{"ciphertext":"AQID","iv":"BAUG","tag":"AQID","protected":"AQID","encrypted_key":"AQ","aad":"AQ","header":{"a":"b"},"unprotected":{"k":"v"}}',
    'bagcqceranxxt5ibkx77aoakvc2fbtxbembiqp247ol5ih3r4onbcw7wp6cjq',
    '{"aad":"AQ","ciphertext":"AQID","iv":"BAUG","protected":"AQID","recipients":[{"encrypted_key":"AQ","header":{"a":"b"}}],"tag":"AQID","unprotected":{"k":"v"}}',
  ],
  [
    '{"ciphertext":"AQID","iv":"BAUG","recipients":[{"encrypted_key":"AQ"},{"header":{}}]}',
    'bagcqcerabyps2jus75s3mwt7b7qe3xwsnta4ae5w2t2aa7djgyxjxsv7ejiq',
    '{"ciphertext":"AQID","iv":"BAUG","recipients":[{"encrypted_key":"AQ"},{"header":{}}]}',
  ],
  ['{"ciphertext":"AQID"}', 'bagcqcerat7mzoxghmybuvtch2gyx7oc5jdbmox6sirlz76gpr7mftftzfq2a', '{"ciphertext":"AQID"}'],
]

describe('dag-jose', () => {
  test.each(kubo)('%.60s is stored and read as by Kubo', (node, cid, read) => {
    const block = encodeNode(text(node), 'dag-json', 'dag-jose')
    expect(String(cidOf(block, 0x85))).toBe(cid)
    expect(decodeNode(CID.parse(cid), block)).toBe(read)
    expect(encodeNode(text(read), 'dag-json', 'dag-jose')).toEqual(block)
  })

  test('a signed object leads to its payload, an encrypted one nowhere', () => {
    const [signed, encrypted] = [kubo[0]!, kubo[4]!].map(([node]) => encodeNode(text(node), 'dag-json', 'dag-jose'))
    expect([...linksIn(decodeBlock(cidOf(signed!, 0x85), signed!))].map(String)).toEqual([String(target)])
    expect([...linksIn(decodeBlock(cidOf(encrypted!, 0x85), encrypted!))]).toEqual([])
    expect(decodeNode(cidOf(signed!, 0x85), signed!, ['signatures', '0', 'protected'])).toBe('"AQID"')
  })

  test.each([
    ['{"a":1}', /invalid JOSE object/],
    ['[]', /expected a JOSE object/],
    [`{"payload":"${payload}"}`, /member signature/],
    ['{"payload":"AQID","signature":"BAUG"}', /payload is not a valid CID/],
    [`{"payload":"${payload}","signatures":[{"protected":"AQID"}]}`, /member signature/],
    [`{"payload":"${payload}","signatures":[{"signature":"AQID","x":1}]}`, /no member "x"/],
    [`{"payload":"${payload}","signatures":{},"signature":"AQID"}`, /signature within signatures/],
    ['{"ciphertext":"AQID","recipients":5}', /recipients to be a list/],
    ['{"ciphertext":"AQ=="}', /base64url without padding/],
    ['{"ciphertext":7}', /base64url/],
  ])('%s is refused', (node, message) => {
    expect(() => put(node)).toThrow(
      expect.objectContaining({ code: 'bad_argument', message: expect.stringMatching(message) }),
    )
  })

  test('a block that is no JOSE object is refused', () => {
    for (const node of [{ a: 1 }, { payload: Uint8Array.of(1), signatures: [] }, { ciphertext: null }, 5]) {
      const block = dagCbor.encode(node)
      expect(() => decodeBlock(cidOf(block, 0x85), block)).toThrow(expect.objectContaining({ code: 'bad_content' }))
    }
  })
})

import { describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsClient } from '../../src/index.ts'
import { allOf, startTestHost } from './test-host.ts'

const cid = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'

/** A host that gives one answer, and what it was asked. */
async function asked<T>(answer: string, call: (client: IpfsClient) => Promise<T>): Promise<{ result: T; url: string }> {
  let url = ''
  await using host = await startTestHost(({ request, response }) => {
    url = request.url!
    response.end(answer)
    return true
  })
  return { result: await call(createIpfsClient({ url: host.url })), url }
}

describe('pins', () => {
  it('are added with a name, and tell how far they are', async () => {
    const blocks: number[] = []
    const answer = `{"Progress":7}\n{"Progress":9,"Bytes":100}\n{"Pins":["${cid}"]}\n`
    const { result, url } = await asked(answer, (client) =>
      client.pin.add(cid, { name: 'a b', onProgress: (count) => blocks.push(count) }),
    )
    expect({ result, url, blocks }).toEqual({
      result: cid,
      url: `/api/v0/pin/add?arg=${cid}&name=a+b&progress=true`,
      blocks: [7, 9],
    })
  })

  it('are removed and moved', async () => {
    const answer = `{"Pins":["${cid}","other"]}`
    expect(await asked(answer, (client) => client.pin.rm(cid, { recursive: false }))).toEqual({
      result: cid,
      url: `/api/v0/pin/rm?arg=${cid}&recursive=false`,
    })
    expect(await asked(answer, (client) => client.pin.update(cid, 'other', { unpin: false }))).toEqual({
      result: [cid, 'other'],
      url: `/api/v0/pin/update?arg=${cid}&arg=other&unpin=false`,
    })
  })

  it.each([
    ['line by line', `{"Cid":"${cid}","Type":"recursive","Name":"n"}\n{"Cid":"b","Type":"direct"}\n`],
    ['in one object', `{"Keys":{"${cid}":{"Type":"recursive","Name":"n"},"b":{"Type":"direct","Name":""}}}\n`],
  ])('are listed from a host that answers %s', async (_, answer) => {
    const { result } = await asked(answer, (client) => allOf(client.pin.ls({ type: 'all' })))
    expect(result).toEqual([
      { cid, type: 'recursive', name: 'n' },
      { cid: 'b', type: 'direct' },
    ])
  })

  it.each([['{}'], ['{"Pins":[]}'], ['null'], ['{"Pins":[1]}']])('are not read from %s', async (answer) => {
    await expect(asked(answer, (client) => client.pin.rm(cid))).rejects.toMatchObject({ code: 'invalid_response' })
  })

  it.each(['{"Keys":{"a":null}}', '{"Keys":"abc"}', '{"Cid":1}', '[]'])('are not listed from %s', async (answer) => {
    const listing = asked(`${answer}\n`, (client) => allOf(client.pin.ls()))
    await expect(listing).rejects.toMatchObject({ code: 'invalid_response' })
  })
})

describe('blocks and nodes', () => {
  const raw = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'

  it('puts a block, and proves its CID', async () => {
    const put = (client: IpfsClient): Promise<object> => client.block.put(new TextEncoder().encode('hello world'))
    const { result, url } = await asked(`{"Key":"${raw}","Size":11}`, put)
    expect({ result, url }).toEqual({
      result: { cid: raw, size: 11, verification: 'proven' },
      url: '/api/v0/block/put?cid-codec=raw',
    })
    await expect(asked(`{"Key":"${cid}","Size":11}`, put)).rejects.toMatchObject({ code: 'mismatch' })
  })

  it('reads what other calls answer', async () => {
    expect((await asked(`{"Key":"${raw}","Size":11}`, (client) => client.block.stat(raw))).result).toEqual({
      cid: raw,
      size: 11,
      verification: 'unverified',
    })
    expect((await asked('{"a":[1]}', (client) => client.dag.get(`ipfs://${raw}/a`))).result).toEqual({ a: [1] })
    expect((await asked(`{"Cid":{"/":"${raw}"}}`, (client) => client.dag.put({ a: 1 }))).result).toBe(raw)
    const resolved = await asked(`{"Cid":{"/":"${raw}"},"RemPath":"a/b"}`, (client) => client.dag.resolve(`${raw}/a/b`))
    expect(resolved.result).toEqual({ cid: raw, remainder: 'a/b' })
  })
})

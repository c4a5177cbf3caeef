import { rawJsonFromText, type RpcHandler } from '@wayleave/jsonrpc-core'
import { iterateEvents } from '@wayleave/jsonrpc-core/websocket'
import { describe, expect, it } from 'vitest'
import { exactEvents } from '../../src/call/stream-events.ts'

/** A node that answers a subscription, and pushes these JSON texts. */
function pushing(...texts: readonly string[]): RpcHandler {
  return async () => ({
    result: rawJsonFromText('"0x1"'),
    subscription: {
      id: '0x1',
      open(sink) {
        for (const text of texts) sink.event('eth_subscription', rawJsonFromText(text))
        sink.end()
        return () => {}
      },
    },
  })
}

describe('exactEvents', () => {
  it('tells the events by their own digits and members', async () => {
    const texts = ['{"a":9007199254740993,"b":1e400,"b":-0}', '"0x12"', '1.0']
    const heard = []
    for await (const text of await iterateEvents<string>(exactEvents(pushing(...texts)), 'eth_subscribe', [])) {
      heard.push(text)
    }
    expect(heard).toEqual(texts)
  })

  it('leaves what is no JSON for the reader to refuse', async () => {
    const events = await iterateEvents(exactEvents(pushing('{"a":01}')), 'eth_subscribe', [])
    await expect(events.next()).rejects.toMatchObject({ code: 'invalid_response' })
  })
})

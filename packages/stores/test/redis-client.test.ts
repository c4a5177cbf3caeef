import { expect, it } from 'vitest'
import { clusterOptions, explainRedis } from '../src/redis/redis-client.ts'

it('has user, password and TLS of the URL hold for the nodes that a cluster names itself', () => {
  const { rootNodes, defaults } = clusterOptions(['rediss://user:p%40ss@a:1', 'rediss://b:2'], 700)
  expect(rootNodes).toEqual([{ url: 'rediss://user:p%40ss@a:1' }, { url: 'rediss://b:2' }])
  expect(defaults).toMatchObject({ username: 'user', password: 'p@ss', socket: { tls: true, connectTimeout: 700 } })
  expect(clusterOptions(['redis://a:1'], 700).defaults).not.toHaveProperty('socket.tls')
})

it('tells each error of Redis by a fault, and never in its words', () => {
  const faults = {
    'WRONGPASS invalid username-password pair of secret': 'refused',
    'NOAUTH Authentication required for secret': 'refused',
    "OOM command not allowed when used memory > 'maxmemory' secret": 'full',
    'READONLY You cannot write secret': 'read_only',
    'MISCONF Redis is configured to save secret': 'full',
    'LOADING Redis is loading secret': 'unreachable',
    'CLUSTERDOWN Hash slot not served secret': 'unreachable',
    'ERR unknown command secret': 'failed',
    'connect ECONNREFUSED secret': 'unreachable',
  }
  for (const [message, fault] of Object.entries(faults)) {
    const error = explainRedis(new Error(message), 'Redis at host:1')
    expect(error).toMatchObject({ code: 'unavailable', fault })
    expect(error.message).not.toContain('secret')
    expect(error.cause).toBeUndefined()
  }
})

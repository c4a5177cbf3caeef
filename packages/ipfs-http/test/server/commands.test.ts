import { expect, test } from 'vitest'
import { ipfsCommandOf, ipfsCommands } from '../../src/server/index.ts'
import { serve } from './serve.ts'

/** All commands of Kubo 0.43, by its own `commands`. */
const ofKubo = `
add bitswap/ledger bitswap/reprovide bitswap/stat bitswap/wantlist block/get block/put block/rm
block/stat bootstrap/add bootstrap/list bootstrap/rm/all cat cid/base32 cid/bases cid/codecs cid/format
cid/hashes cid/inspect commands/completion/bash commands/completion/fish commands/completion/zsh
config/edit config/profile/apply config/replace config/show dag/export dag/get dag/import dag/put
dag/resolve dag/stat dht/findpeer dht/findprovs dht/get dht/provide dht/put dht/query diag/cmds/clear
diag/cmds/set-time diag/datastore/count diag/datastore/get diag/datastore/put diag/healthy diag/profile
diag/sys files/chcid files/chmod files/chroot files/cp files/flush files/ls files/mkdir files/mv
files/read files/rm files/stat files/touch files/write filestore/dups filestore/ls filestore/verify get
id key/export key/gen key/import key/list key/ls key/rename key/rm key/rotate key/sign key/verify
log/level log/ls log/tail ls mount multibase/decode multibase/encode multibase/list multibase/transcode
name/get name/inspect name/publish name/pubsub/cancel name/pubsub/state name/pubsub/subs name/put
name/resolve object/data object/diff object/get object/links object/new object/patch/add-link
object/patch/append-data object/patch/rm-link object/patch/set-data object/put object/stat p2p/close
p2p/forward p2p/listen p2p/ls p2p/stream/close p2p/stream/ls pin/add pin/ls pin/remote/add pin/remote/ls
pin/remote/rm pin/remote/service/add pin/remote/service/ls pin/remote/service/rm pin/rm pin/update
pin/verify ping provide/clear provide/once provide/stat pubsub/ls pubsub/peers pubsub/pub pubsub/reset
pubsub/sub refs/local repo/gc repo/ls repo/migrate repo/stat repo/verify repo/version resolve
routing/findpeer routing/findprovs routing/get routing/provide routing/put routing/reprovide shutdown
stats/bitswap stats/bw stats/dht stats/provide stats/repo stats/reprovide swarm/addrs/autonat
swarm/addrs/listen swarm/addrs/local swarm/connect swarm/disconnect swarm/filters/add swarm/filters/rm
swarm/peering/add swarm/peering/ls swarm/peering/rm swarm/peers swarm/resources update/check update/clean
update/install update/revert update/versions version/check version/deps
`
  .trim()
  .split(/\s+/)

test('each command is known by its path, and no other path is', () => {
  expect(ipfsCommands).toContain('pin/ls')
  expect(ipfsCommands.map((name) => ipfsCommandOf(`/api/v0/${name}`))).toEqual(ipfsCommands)
  const others = ['/api/v0/', '/api/v0/files/ls', '/api/v0/add/', '/api/v0/constructor', '/add', 'add', '']
  expect(others.map((path) => ipfsCommandOf(path))).toEqual(others.map(() => undefined))
})

test('each command of Kubo is served, or is refused in words that name it, as an error of Kubo', async () => {
  const { post } = await serve()
  const absent = ofKubo.filter((name) => !ipfsCommands.includes(name))
  expect(absent).toContain('files/mkdir')
  for (const name of absent) {
    const { status, headers, lines } = await post(`${name}?arg=x`)
    expect([name, status, headers['content-type'], lines]).toEqual([
      name,
      501,
      'application/json',
      [{ Message: expect.stringMatching(`^${name} is not served here: .*Instead: `), Code: 0, Type: 'error' }],
    ])
  }
})

test('a path that no command of Kubo has is not found', async () => {
  const { post } = await serve()
  for (const path of ['nothing', 'pin', 'files//ls', 'files/%6Cs', 'filesystem', 'Files/ls']) {
    const { status, text } = await post(path)
    expect([path, status, text]).toEqual([path, path === 'files//ls' ? 501 : 404, expect.any(String)])
  }
})

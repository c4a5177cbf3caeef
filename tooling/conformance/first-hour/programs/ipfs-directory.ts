// Adds a directory to IPFS, telling how much of it is there: node ipfs-directory.js FOLDER
import { createClient } from '@wayleave/client'
import { ipfs } from '@wayleave/client/ipfs'
import { globSource } from '@wayleave/ipfs-http/node'

const apiKey = '0123456789abcdef0123456789abcdef'
const apiKeySecret = 'fedcba9876543210fedcba9876543210'
const client = createClient({ url: 'http://127.0.0.1:8545', apiKey, apiKeySecret, apis: { ipfs: ipfs() } })

const files = globSource(process.argv[2] ?? '.')
const onProgress = (sent: number, total = sent): void => console.log(`${Math.floor((100 * sent) / total)}%`)
let root = ''
for await (const { cid } of client.ipfs.addAll(files, { wrapWithDirectory: true, onProgress })) root = cid
console.log(`ipfs://${root}`)

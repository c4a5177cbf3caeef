// Sends a wei on a chain of `wayleave dev`, and believes the answer only because its content hashes to what was asked for.
import { createClient } from '@wayleave/client'
import { verify } from '@wayleave/client/verify'

const url = { url: 'http://127.0.0.1:8545', apiKey: '0123456789abcdef0123456789abcdef' }
const client = createClient({ ...url, verify: verify('proven') })

const [from, to] = await client.eth.accounts()
const hash = await client.eth.sendTransaction([{ from: from!, to: to!, value: '0x1' }])
const transaction = await client.eth.getTransactionByHash([hash])
console.log(`proven: ${hash} pays ${BigInt(transaction!.value)} wei to ${transaction!.to}`)

await client.close()

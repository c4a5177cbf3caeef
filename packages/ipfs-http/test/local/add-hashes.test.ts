import { expect, test } from 'vitest'
import { addAll, bytesOf, file, openTemp, rootOf } from './support.ts'

const zeros = Buffer.alloc(600_000)

// Of `hello world` and of 600,000 zeros without raw leaves, with `--hash`. Source: Kubo 0.41.
test.each([
  [
    'keccak-256',
    'bafkrwichc4zilkgxgqpf5fzpyz3sqy4e7abpr32cuxwf6a537isuzma7vu',
    'bafybwigmko64afclydcxofo75atvhupqryjhjircltqzaukq4ryi4aw7de',
  ],
  [
    'keccak-512',
    'bafkr2qb64k2aar5yayhwrrtsiilvmyhuc5gqv5oadvdrndwcb3lbtmfxyqqyd5akuecg6opc56ppy2iqpavjtdqacpixermjk6kx7leuaw3h2',
    'bafyb2qesrwzamor36refj2twcleftvmv67oxjppvkrnyksalie6c6ck4qz73pkz7hkbtdz5mb3qopc3eincc7uvdhnpqxdnf3blrnqjl55ire',
  ],
  [
    'blake3',
    'bafkr4igxjga67jykbseaxdmmdgc5a5o3zp3htom2l6mrjznk7fvyggu6eq',
    'bafyb4ifjvka24t77zugmpejjjfqmhmrspgfzcuwsqexhxg7hcqhhkyj6um',
  ],
  [
    'shake-256',
    'bafkrsqbws5y3wlfz2kyeyhkuzssipy3s3hyyp5z7por7mw4vzdxhpggfe72phqwvlqwuniu7f2kf2ru4hxzhqu5ionjhd5omfwpirfkegvyrm',
    'bafybsqcho7sf4hxl2nekyjezhh222zti34sqqzvajjslu2ejtdvoc7eaypv5vkd4nrsy4hpiksti6byushkfamvg3f7unrfuymyhxmqg7ed3w',
  ],
  ['blake2b-160', 'bafkzjzaccryor3hf4kj6dpnamtpo62yib3o6gvybb4', 'bafyjjzaccsscyzhzan3twbpuucu5rcii7ia3nnctjy'],
])('a file of %s has the CID that Kubo gives it, and can be read', async (hash, hello, zero) => {
  const backend = await openTemp()
  const short = rootOf(await addAll(backend, [file('', 'hello world')], { hash, cidVersion: 1, rawLeaves: true }))
  const long = rootOf(await addAll(backend, [file('', zeros)], { hash, cidVersion: 1 }))
  expect([String(short), String(long)]).toEqual([hello, zero])
  expect(zeros.equals(await bytesOf(backend, long))).toBe(true)
})

import { copyStore, type StoresOptions } from '@wayleave/stores'

// Copies a store in a process of its own, and prints a line for each page.
const [from, to] = process.argv.slice(2).map((text) => JSON.parse(text) as StoresOptions) as [
  StoresOptions,
  StoresOptions,
]
const { isResumed } = await copyStore(from, to, {
  onProgress: (step, rows) => void process.stdout.write(`${step} ${rows}\n`),
})
process.stdout.write(isResumed ? 'resumed\n' : 'done\n')

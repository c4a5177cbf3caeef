import { form, type Served } from '../serve.ts'

/** The directory `t` with `a.txt`, `big` of 700,000 zeros, `link`, `sub/b` and `sub/empty`. Its CIDs are those of Kubo 0.41. */
export const tree = {
  root: 'QmeirRDRNuq9xdtmQ89bGpKMWSdQ59Ym8mJ9BbVWTRoDWa',
  a: 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN',
  big: 'QmT44ZzMM5ZL5UheSV83EtxQ5SP9bg2qLi6JHtFYKbPtT1',
  chunk: 'QmRk1rduJvo5DfEYAaLobS2za9tDszk35hzaNSDCJ74DA7',
  lastChunk: 'QmakUu8NzDpbZPoXyo96R5Ce7XnySQVXCTpLCFxczy2Vds',
  link: 'QmS9U51FvTAqDDVLJ5okMzeLjsEeg8JEG1rPmSq2oPahF6',
  sub: 'QmasAzQKkaCWrc8ipoP6FKhWTYp9sZHqjewCoeT5xQskxz',
  b: 'QmR9pC5uCF3UExca8RSrCVL8eKv7nHMpATzbEQkAHpXmVM',
  empty: 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn',
} as const

/** Adds the tree. */
export async function addTree({ post }: Pick<Served, 'post'>, query = '', as = 'alice'): Promise<void> {
  const upload = form(
    { file: 't%2Fa.txt', content: 'hello\n', name: 'file?mode=0640&mtime=1600000000&mtime-nsecs=250000000' },
    { file: 't%2Fbig', content: new Uint8Array(700_000) },
    { file: 't%2Flink', type: 'application/symlink', content: 'a.txt' },
    { file: 't%2Fsub', type: 'application/x-directory', name: 'file?mode=020000000755' },
    { file: 't%2Fsub%2Fb', content: 'b\n' },
    { file: 't%2Fsub%2Fempty', type: 'application/x-directory' },
  )
  await post(`add?${query}`, { ...upload, as })
}

// @boundaries-ignore A chain that tests of networks use, too, and that is in no package.
export { trueAnswer, type TrueChain, trueChain } from '../../network/test/true-chain.ts'

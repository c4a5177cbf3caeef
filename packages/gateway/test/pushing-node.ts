// @boundaries-ignore A node that tests of networks use, too, and that is in no package.
export { type PushingNode, startPushingNode } from '../../network/test/pushing-node.ts'

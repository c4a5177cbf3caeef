// A node that tests of networks use, too.
export { type PushingNode, startPushingNode } from '@wayleave/network/internal/test/pushing-node'

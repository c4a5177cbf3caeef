export { type AdminClient, allPages, createAdminClient } from './client.ts'
export { AdminError, type AdminErrorCode, type AdminIssue } from './error.ts'

export { type Answer, type Client, type ClientSettings, createClient, type OperationId } from './client.ts'
export type * as Wire from './operations/index.ts'
